"""Matches for reports, and the table that goes beyond a paper: how strong, after how much work."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

from evoboard.arena.contest import Terms, play_contest
from evoboard.arena.ladder import Ladder
from evoboard.arena.standings import MatchResult
from evoboard.core.wording import elo_words
from evoboard.games.base import load_game
from evoboard.papers.bench import Bench, games_of
from evoboard.papers.series import middle
from evoboard.pictures.report import Cell, Table
from evoboard.players.equal_search import counter_of
from evoboard.runs.report import seconds_of


class Games(NamedTuple):
    """A match as its first player sees it: all games, and those with either colour."""

    wins: int
    draws: int
    losses: int
    elo: float
    low: float
    high: float
    first: tuple[int, int, int]
    second: tuple[int, int, int]

    @property
    def games(self) -> int:
        """How many."""
        return self.wins + self.draws + self.losses

    @property
    def share(self) -> float:
        """The share of the points."""
        return (self.wins + self.draws / 2) / max(1, self.games)

    def words(self) -> str:
        """Return the match in a few words."""
        return (
            f"{100 * self.share:.0f}% (+{self.wins} ={self.draws} −{self.losses}), "
            f"Elo {elo_words(self.elo, self.low, self.high)}"
        )


def match(
    bench: Bench, key: str, game: str, one: str, other: str, games: int, plies: int | None = None
) -> Games:
    """Return a match between two players; played once, from openings of that many random plies."""

    def play() -> dict[str, Any]:
        terms = Terms(seed=1, opening_plies=plies, threads=bench.threads)
        result = MatchResult(play_contest(load_game(game), [one, other], games, terms))
        found = result.estimate
        return {
            "counts": result.counts,
            "elo": (found.elo, found.low, found.high),
            "colours": [result.counts_as(0), result.counts_as(1)],
        }

    data = bench.measure(key, f"{game} {one} {other} {games} {plies}", play)
    parts = (*data["counts"], *data["elo"], *map(tuple, data["colours"]))
    return Games._make(parts)


def at_equal_search(bench: Bench, key: str, game: str, text: str, games: int) -> Games | None:
    """Return a player's match against counting pieces with its own search, None without such."""
    counter = counter_of(text, load_game(game))
    return match(bench, key, game, text, counter, games) if counter else None


def on_ladder(bench: Bench, game: str, text: str, games: int) -> str | None:
    """Return a player's Elo on its game's ladder in words; rungs take long, so in full only."""
    if bench.scale.name == "quick" or bench.so_far:
        return None

    def climb() -> list[float]:
        ladder = Ladder(load_game(game), bench.folder / "ladder")
        place = ladder.measure(text, games, 1, bench.threads)
        return [place.elo, place.low, place.high]

    elo, low, high = bench.measure("ladder", f"{game} {text} {games}", climb)
    return elo_words(elo, low, high)


def beyond(bench: Bench, game: str, paper: Sequence[str], ours: Sequence[str], games: int) -> Table:
    """Return the table of the paper's trials and of our own: games, time, strength."""
    rows: list[tuple[Cell, ...]] = []
    first = next(filter(bench.has, paper), None)  # the one that all others meet
    rival = f"run:{bench.names(first)[0]}@best" if first else None
    for trial in filter(bench.has, (*paper, *ours)):
        runs = bench.runs(trial)
        text = f"run:{runs[0].name}@best"
        random = match(bench, f"random-{trial}", game, text, "random", games)
        equal = at_equal_search(bench, f"equal-{trial}", game, text, games)
        met = None
        if rival and text != rival:
            met = match(bench, f"rival-{trial}", game, text, rival, games)
        rows.append(
            (
                f"{trial}{' (ours)' if trial in ours else ''}",
                int(middle([games_of(run) for run in runs])),
                round(middle([seconds_of(run) for run in runs]), 1),
                random.words(),
                equal.words() if equal else None,
                met.words() if met else None,
                on_ladder(bench, game, text, games),
            )
        )
    columns = (
        "trial",
        "games of training",
        "seconds",
        "against random moves",
        "against counting pieces at equal search",
        f"against {first or paper[0]}",
        "Elo on the ladder",
    )
    note = (
        f"The best player of the first seed, {games} games from random openings, both colours; "
        "Elo with its 95% interval; on the ladder random moves are 0 (--full only, once all runs "
        "are complete). Games and seconds of training: medians over seeds."
    )
    return Table(
        f"{bench.paper.letter.lower()}-beyond", "The same game, our own settings", columns,
        rows, note=note,
    )  # fmt: skip
