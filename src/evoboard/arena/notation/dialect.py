"""Reading any text of the PGN family: what its notations have in common."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from evoboard.arena.game_text import GameText
from evoboard.arena.notation.base import Found, LoadGame
from evoboard.arena.notation.heads import name_in, players_in, result_of, whole_text
from evoboard.arena.notation.movetext import Label, Reader, ReadMove, start_of
from evoboard.arena.notation.scan import Piece, Scanner
from evoboard.core.errors import NotationError

HEAD = 20_000  # characters by which a text is recognised


@dataclass(frozen=True)
class Dialect:
    """What a notation of the family has of its own.

    `white` is White's side; `game_of` names the game that a piece is of (NotationError where it is
    none of ours), `position_of` where it begins if not as usual; `is_said` tells moves from
    remarks, `number` is that of a position's next move.
    """

    scanner: Scanner
    white: int
    game_of: Callable[[Piece], str]
    position_of: Callable[[Piece], str]
    is_said: Callable[[str], bool]
    read_move: ReadMove
    label: Label
    number: Callable[[str], int]

    def read(self, text: str) -> list[Found]:
        """Return the games of a text."""
        return [self._found(piece) for piece in self.scanner.games(text)]

    def first(self, text: str) -> tuple[dict[str, str], str]:
        """Return the tags and the first move of a text's first game, as far as it has them."""
        piece = next(iter(self.scanner.games(text[:HEAD])), None)
        if piece is None:
            return {}, ""
        return piece.tags, next(filter(self.is_said, self.scanner.words(piece.body)), "")

    def _found(self, piece: Piece) -> Found:
        return Found(
            piece.number,
            players_in(piece, self.white),
            result_of(piece, self.scanner.results),
            name_in(piece, "Date"),
            name_in(piece, "Event"),
            lambda load_game: self._text(piece, load_game),
        )

    def _text(self, piece: Piece, load_game: LoadGame) -> GameText:
        place = f"game {piece.number}"
        try:
            if piece.flaw:
                raise NotationError(piece.flaw)
            spec = self.game_of(piece)
            game = load_game(spec)
            start = start_of(GameText(spec, self.position_of(piece).strip()), game)
        except NotationError as error:
            raise NotationError(f"{place}: {error}") from None
        position = game.state_text(start)
        words = filter(self.is_said, self.scanner.words(piece.body))
        reader = Reader(game, self.read_move, self.label, place, self.number(position))
        played = reader.play(start, words)
        result = result_of(piece, self.scanner.results)
        head = GameText(spec, position, (), players_in(piece, self.white), result)
        return whole_text(piece, game, head, played)
