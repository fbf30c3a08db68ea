"""check_game: the laws every game obeys, tried on random play, with messages a newcomer can act on.

The rules run uncompiled first, where a wrong index or an endless loop can be caught and named by
its line; then compiled, position by position, which must give the same; then many whole games,
compiled with bounds checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evoboard.arena.rule_guard import Trouble, compiling
from evoboard.arena.rule_laws import RuleLaws
from evoboard.arena.text_laws import TextLaws
from evoboard.core.errors import EvoboardError, PartError
from evoboard.games.base import Game

Trial = Callable[[], None]


@dataclass(frozen=True)
class Law:
    """One law: its text, and the first violation found (empty where it holds)."""

    text: str
    problem: str


@dataclass(frozen=True)
class Report:
    """What check_game found out."""

    game: str
    laws: tuple[Law, ...]
    positions: int
    games: int
    longest: int

    @property
    def passed(self) -> bool:
        """Tell whether every law holds."""
        return not self.problems

    @property
    def problems(self) -> tuple[str, ...]:
        """The violations, in the order in which they should be mended."""
        return tuple(law.problem for law in self.laws if law.problem)


def check_game(game: Game, positions: int = 200, games: int = 500, seed: int = 1) -> Report:
    """Try every law on `positions` sampled positions and `games` whole games."""
    rules = RuleLaws(game, seed, positions, games)
    texts = TextLaws(game, rules.sample)
    laws: list[Law] = []
    for text, trial in _laws(rules, texts):
        problem = _problem(text, trial, game.file)
        laws.append(Law(text, problem))
        if problem:  # what follows would only repeat it in other words
            break
    return Report(game.name, tuple(laws), len(rules.sample), rules.played, rules.longest)


def _laws(rules: RuleLaws, texts: TextLaws) -> Iterator[tuple[str, Trial]]:
    """Yield each law's text with its trial, in the order in which a game is best mended."""
    yield "the start state is complete and the same for the same seed", rules.start
    yield "moves are unique, within bounds and never alter their input", rules.moves
    yield "compiled rules equal uncompiled ones", rules.compiled
    yield "every position has moves or an outcome", rules.ends
    if "encode" in rules.plain:
        yield "the encoder fills exactly its declared inputs", rules.encoder
    yield "an ended game has a reason", texts.reasons
    yield "position text reads back as the same position", texts.states
    yield "move text is unique and reads back as the same move", texts.moves
    yield "the view stays on its board and shows every move", texts.views
    yield "random games end, within all bounds", rules.games


def _problem(law: str, trial: Trial, file: str) -> str:
    try:
        with compiling():
            trial()
    except (Trouble, EvoboardError) as error:
        return str(error)
    except Exception as error:  # whatever a user's file does, its user gets a sentence
        return str(Trouble.of(f"testing that {law}", error, file))
    return ""


def rehearse(game: Game) -> Game:
    """Return `game` after a try at its start position; a mistake there raises PartError.

    Compiled, a rule that never ends cannot even be interrupted, so a user's rules run uncompiled
    once before any command runs them compiled.
    """
    rules = RuleLaws(game, 1, 1, 1)
    texts = TextLaws(game, rules.sample)
    for trial in (rules.start, rules.moves, texts.states, texts.moves, texts.views):
        if problem := _problem("the game can be shown", trial, game.file):
            raise PartError(f"{problem} `evoboard check-game {game.file}` tests the whole game.")
    return game
