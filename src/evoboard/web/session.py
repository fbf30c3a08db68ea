"""A game in progress: its tree, who plays, who is asked; written to disk after each move."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from typing import Any, Literal, NamedTuple

from evoboard.arena.game_text import game_spec, written
from evoboard.arena.game_tree import Ending, GameTree, Node
from evoboard.core.errors import EvoboardError
from evoboard.core.rng import address
from evoboard.core.whole_file import write_whole
from evoboard.games.view import MoveLook
from evoboard.web.folders import game_path
from evoboard.web.values import game_title, reason_words, seen_by_first

PERSON = "person"
SOON = 0.02  # seconds after a change in which the page is drawn; the game is written then
RETRY = 20.0  # seconds until a game that could not be saved is tried to be saved again

# What has changed: the position (or whose game it is), what is thought of it, or who thinks now.
Change = Literal["position", "advice", "thinking"]
Seats = tuple[str, str]

# One thread, so that the last state of a game is written last.
_writer = ThreadPoolExecutor(1, thread_name_prefix="evoboard-save")
_unwritten: set[GameSession] = set()


class Thinking(NamedTuple):
    """Since when the player to move thinks, or is being compiled while it `prepares`."""

    since: float
    prepares: bool


class GameSession:
    """A game, who plays it (PERSON or a player's text), who is asked about it (the adviser).

    `names` are the names of the people, if a file had them. `trouble` is what went wrong with a
    player, `unsaved` why the game is not on disk; `kept` is set once it has been saved, so that
    later changes are saved, too. `version` counts the changes that make answers outdated.
    """

    def __init__(
        self,
        name: str,
        tree: GameTree,
        seats: Seats = (PERSON, PERSON),
        seed: int = 1,
        adviser: str = "",
    ) -> None:
        self.name, self.tree, self.seats, self.seed, self.adviser = name, tree, seats, seed, adviser
        self.game, self.spec = tree.game, game_spec(tree.game)
        self.names = ("", "")
        self.listeners: list[Callable[[Change], None]] = []
        self.thinking: Thinking | None = None
        self.trouble = self.unsaved = ""
        self.kept = self._tries_again = False
        self.version = 0

    # --- the line that is looked at ---------------------------------------------------------

    @property
    def title(self) -> str:
        """The game's name, with the options that are not its defaults."""
        return game_title(self.game)

    @property
    def line(self) -> list[Node]:
        """The positions from the start to the last one."""
        return self.tree.line

    @property
    def ply(self) -> int:
        """How many plies have been played."""
        return self.tree.current.ply

    @property
    def side(self) -> int:
        """The side to move."""
        return self.tree.side(self.tree.current)

    @property
    def over(self) -> bool:
        """Tell whether the game has ended."""
        return self.tree.over(self.tree.current)

    @property
    def result(self) -> int:
        """+1 if side 0 has won, -1 if side 1 has, 0 for a draw or a game in progress."""
        return self.tree.result(self.tree.current)

    @property
    def reason(self) -> str:
        """Why the game has ended."""
        return self.tree.reason(self.tree.current)

    @property
    def person(self) -> int:
        """The side of the person; side 0 if both sides or none are people."""
        return 1 if self.seats[1] == PERSON and self.seats[0] != PERSON else 0

    @property
    def asked(self) -> str:
        """Who is asked what the positions are worth: the adviser, else the opponent."""
        return self.adviser or self.seats[1 - self.person]

    @property
    def below(self) -> int:
        """The side at the bottom of the board: as it was where this was copied from, if it was."""
        noted = self.tree.tags.get("below", "")
        return int(noted) if noted in ("0", "1") else self.person

    @property
    def persons_turn(self) -> bool:
        """Tell whether a person is to move."""
        return not self.over and self.seats[self.side] == PERSON

    @property
    def chance(self) -> int:
        """The chance of the move to be made now."""
        return address(self.seed, "table", self.ply)

    def verdict(self, node: Node | None = None) -> str:
        """Return how the game has ended, with the reason; empty while it goes on."""
        node = node or self.tree.current
        if not self.tree.over(node):
            return ""
        result, why = self.tree.result(node), reason_words(self.tree.reason(node), node.ply)
        if result == 0:
            return f"Draw: {why}"
        return f"{self.game.sides[0 if result > 0 else 1]} wins: {why}"

    def value(self, node: Node) -> float | None:
        """Return what is thought of a position, for side 0."""
        known = node.thought
        return None if known is None else seen_by_first(known.value, self.tree.side(node))

    def look(self, ply: int) -> MoveLook | None:
        """Return how the move that led to the position after `ply` plies looks."""
        if not 0 < ply <= self.ply:
            return None
        looks = self.tree.view(self.line[ply - 1]).moves
        return next((look for look in looks if look.move == self.line[ply].move), None)

    # --- changes ----------------------------------------------------------------------------

    def change(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Do something that changes the position, such as `tree.play`; then show and save it.

        Where a driver moves for the players, call its `change` instead.
        """
        result = act(*arguments)
        self.version += 1
        self.tell("position")
        self.save()
        return result

    def note(self, act: Callable[..., Any], *arguments: Any) -> Any:
        """Do something that leaves the position as it is; then show and save it."""
        result = act(*arguments)
        self.tell("advice")
        self.save()
        return result

    def tell(self, change: Change) -> None:
        """Tell every listener of a change."""
        for listener in list(self.listeners):
            listener(change)

    def take_back_turn(self) -> None:
        """Undo to the person's last turn, their own move and the answer to it: to be a `change`."""
        plies = 0
        if not (self.tree.current.ending and self.seats[self.side] == PERSON):
            plies = 1
            while plies < self.ply and self.seats[self.tree.side(self.line[-1 - plies])] != PERSON:
                plies += 1
        self.tree.take_back(plies)

    def resign(self, side: int) -> None:
        """End the game, `side` gives up: to be a `change`."""
        if not self.over:
            told = f"{self.game.sides[side]} resigned"
            self.tree.current.ending = Ending(-1 if side == 0 else 1, told)

    def ask_adviser(self, text: str) -> None:
        """Have another player evaluate every position."""
        self.version += 1
        self.note(self._forget_thoughts, text)

    def _forget_thoughts(self, adviser: str) -> None:
        self.adviser = adviser
        for node in self.tree.root.walk():
            node.thought = node.static_eval = None

    # --- the game as text, and on disk ------------------------------------------------------

    def described(self) -> GameTree:
        """Return the tree with what is written about it."""
        first, second = (name or seat for name, seat in zip(self.names, self.seats, strict=True))
        self.tree.players = first, second
        self.tree.tags |= {"seed": str(self.seed), "adviser": self.adviser}
        return self.tree

    def text(self) -> str:
        """Return the game as text, to be kept or downloaded."""
        return written(self.described())

    def save(self) -> None:
        """Write the game to its file, soon; a game without a move is not worth a file."""
        self.kept = bool(self.kept or self.tree.root.children or self.tree.root.ending)
        if not self.kept or self in _unwritten:
            return None
        try:
            loop = asyncio.get_running_loop()
        except RuntimeError:
            return self._write(None)
        _unwritten.add(self)
        loop.call_later(SOON, self._write, loop)

    def _write(self, loop: asyncio.AbstractEventLoop | None) -> None:
        _unwritten.discard(self)
        _writer.submit(_write, self.name, self.text(), self._saved, loop)

    def _saved(self, told: str) -> None:
        if told and not self._tries_again:
            with suppress(RuntimeError):  # without an event loop there is nothing to wait with
                asyncio.get_running_loop().call_later(RETRY, self._try_again)
                self._tries_again = True
        if told != self.unsaved:
            self.unsaved = told
            self.tell("advice")

    def _try_again(self) -> None:
        self._tries_again = False
        if self.unsaved:
            self.save()


def _write(
    name: str, text: str, tell: Callable[[str], None], loop: asyncio.AbstractEventLoop | None
) -> None:
    """Write a game; `tell` hears, in the event loop if any, why it could not be, or "".

    A full disk must not end a game.
    """
    told = ""
    try:
        write_whole(game_path(name), text)
    except (OSError, EvoboardError) as error:
        logging.getLogger("evoboard").warning("the game %s cannot be saved: %s", name, error)
        reason = error.strerror if isinstance(error, OSError) else str(error)
        told = f"This game cannot be saved: {reason}."
    if loop is None:
        tell(told)
    elif not loop.is_closed():
        loop.call_soon_threadsafe(tell, told)


def flush() -> None:
    """Write all games that have changed, and wait until they are on disk."""
    for session in list(_unwritten):
        session._write(None)
    _writer.submit(lambda: None).result()
