"""check_game: the laws every game obeys, tried on random play, with messages a newcomer can act on.

The rules run uncompiled first, where a wrong index or an endless loop can be caught and named by
its line; then compiled, position by position, which must give the same; then many whole games,
compiled with bounds checks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass

from evoboard.core.errors import EvoboardError
from evoboard.games.base import Game
from evoboard.games.laws.rule_guard import Trouble, compiling
from evoboard.games.laws.rule_laws import RuleLaws
from evoboard.games.laws.text_laws import TextLaws

Trial = Callable[[], None]


@dataclass(frozen=True)
class Law:
    """One law: its text, and the first violation found (empty where it holds)."""

    text: str
    problem: str


@dataclass(frozen=True)
class Conformance:
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
        """The violations, in the order in which they should be fixed."""
        return tuple(law.problem for law in self.laws if law.problem)


def check_game(
    game: Game, positions: int = 200, games: int = 500, seed: int = 1, *, must_end: bool = True
) -> Conformance:
    """Try every law on `positions` sampled positions and `games` whole games.

    Unless they `must_end`, games may go on for ever: a match can have a limit of its own.
    """
    game = game.on_trial()
    rules = RuleLaws(game, seed, positions, games, must_end)
    texts = TextLaws(game, rules.sample)
    laws: list[Law] = []
    for text, trial in _laws(rules, texts):
        problem = _problem(text, trial, game.file)
        laws.append(Law(text, problem))
        if problem:  # what follows would only repeat it in other words
            break
    return Conformance(game.name, tuple(laws), len(rules.sample), rules.played, rules.longest)


def _laws(rules: RuleLaws, texts: TextLaws) -> Iterator[tuple[str, Trial]]:
    """Yield each law's text with its trial, in the order in which a game is best fixed."""
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
