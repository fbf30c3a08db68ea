"""Reading any text of the PGN family: what its notations have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evoboard.arena.game_text import LoadGame, note_dropped
from evoboard.arena.game_tree import GameTree
from evoboard.arena.notation.base import FoundGame
from evoboard.arena.notation.movetext import Label, MovetextReader, ReadMove
from evoboard.arena.notation.scan import RawGame, Scanner
from evoboard.arena.notation.tags import conclude, kept_tags, name_in, players_in, result_of
from evoboard.core.errors import NotationError

HEAD = 20_000  # characters by which a text is recognised
SAID = ("word", "paren")


@dataclass(frozen=True)
class Dialect:
    """What a notation of the family has of its own.

    `white` is White's side; `game_of` names the game that a piece is of (NotationError if it is
    none of ours), `position_of` where it begins if not as usual; `is_said` tells moves from
    remarks, `number` is that of a position's next move.
    """

    scanner: Scanner
    white: int
    game_of: Callable[[RawGame], str]
    position_of: Callable[[RawGame], str]
    is_said: Callable[[str], bool]
    read_move: ReadMove
    label: Label
    number: Callable[[str], int]

    def read(self, text: str) -> list[FoundGame]:
        """Return the games of a text."""
        return [self._found(piece) for piece in self.scanner.games(text)]

    def first(self, text: str) -> tuple[dict[str, str], str]:
        """Return the tags and the first move of a text's first game, as far as it has them."""
        piece = next(iter(self.scanner.games(text[:HEAD])), None)
        if piece is None:
            return {}, ""
        words = (text for kind, text in self.scanner.tokens(piece.body) if kind in SAID)
        return piece.tags, next(filter(self.is_said, words), "")

    def _found(self, piece: RawGame) -> FoundGame:
        return FoundGame(
            piece.number,
            players_in(piece, self.white),
            result_of(piece, self.scanner.results),
            name_in(piece, "Date"),
            name_in(piece, "Event"),
            lambda load_game: self._tree(piece, load_game),
        )

    def _tree(self, piece: RawGame, load_game: LoadGame) -> GameTree:
        place = f"game {piece.number}"
        try:
            if piece.flaw:
                raise NotationError(piece.flaw)
            game, position = load_game(self.game_of(piece)), self.position_of(piece).strip()
            start = game.parse_state(position) if position else None
        except NotationError as error:
            raise NotationError(f"{place}: {error}") from None
        tree = GameTree(
            game, start=start, players=players_in(piece, self.white), tags=kept_tags(piece)
        )
        number = self.number(game.state_text(tree.root.state))
        reader = MovetextReader(tree, self.read_move, self.label, place, number)
        reader.play(
            (kind, text)
            for kind, text in self.scanner.tokens(piece.body)
            if kind not in SAID or self.is_said(text)
        )
        conclude(tree, piece, result_of(piece, self.scanner.results))
        note_dropped(tree, reader.left_out())
        return tree
