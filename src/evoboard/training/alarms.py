"""Alarms: what evolution by self-play should not do, seen from measurements alone.

    forgetting      a champion loses to its ancestors
    cycling         champions beat each other in circles, which no ratings can explain
    disengagement   everyone scores the same, so that selection has nothing to work with

Each alarm is a pure function of what was seen, and says what it means and what to try. `AlarmWatch`
keeps what they need from earlier generations: a few hundred numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from statistics import NormalDist
from typing import Any, NamedTuple

import numpy as np

from evoboard.arena.scoring import ResultTable
from evoboard.core.arrays import Array
from evoboard.core.statistics import wilson
from evoboard.store.records import Alarm, Measurement
from evoboard.training.intransitivity import find_cycle, intransitivity

# How often a measurement of equals may raise an alarm.
FALSE_FORGETTING = 0.01
FALSE_CYCLING = 0.01
# Measured champions whose results are remembered, and those compared with one ancestor.
REMEMBERED, RECENT = 20, 5
CIRCLES_EVERY = 10  # generations
# No alarm below this difference, in shares of the points, between results and ratings.
LEAST_CYCLING = 0.1
# Generations alike before it is worth an alarm, and what counts as alike.
PATIENCE = 5
ALIKE_SPREAD, ALIKE_RESULTS = 0.01, 0.98


class Meeting(NamedTuple):
    """Games of one generation's champion against an earlier one's, as the later one sees them."""

    later: int
    earlier: int
    wins: int
    draws: int
    losses: int

    @property
    def games(self) -> int:
        """How many games."""
        return self.wins + self.draws + self.losses

    @property
    def points(self) -> float:
        """The later champion's points."""
        return self.wins + self.draws / 2


def meetings_of(generation: int, rows: Sequence[Measurement]) -> list[Meeting]:
    """Return a champion's measurements against earlier champions; others are left out."""
    found = []
    for row in rows:
        number = row.opponent.removeprefix("gen=")
        if number != row.opponent and number.isdigit() and int(number) < generation:
            found.append(Meeting(generation, int(number), row.wins, row.draws, row.losses))
    return found


def forgetting(generation: int, meetings: Sequence[Meeting]) -> Alarm | None:
    """Return an alarm if a generation's champion loses to its ancestors by more than chance.

    Two things are tested: its points against all ancestors it has met, and for each of these the
    points of the last champions against it, because one alone seldom meets it often enough.
    The tests share the allowed rate of false alarms. Each asks whether Wilson's interval lies below
    one half; with draws, and with openings played from both sides, it is wider than necessary.
    """
    own = [meeting for meeting in meetings if meeting.later == generation]
    if not own:
        return None
    ancestors = sorted({meeting.earlier for meeting in own})
    share, high = _upper(own, FALSE_FORGETTING / 2)
    if high < 0.5:
        who = f"its {len(ancestors)} measured ancestors" if len(ancestors) > 1 else "its ancestor"
        return _forgetting(f"the champion of generation {generation} takes {share:.0%} from {who}")
    worst: tuple[float, int, int, float] | None = None
    for ancestor in ancestors:
        against = [meeting for meeting in meetings if meeting.earlier == ancestor]
        recent = sorted(against, key=lambda meeting: meeting.later)[-RECENT:]
        share, high = _upper(recent, FALSE_FORGETTING / 2 / len(ancestors))
        if high < 0.5 and (worst is None or high < worst[0]):
            worst = high, ancestor, recent[0].later, share
    if worst is None:
        return None
    _, ancestor, since, share = worst
    who = f"the champions of generations {since} to {generation} take"
    if since == generation:
        who = f"the champion of generation {generation} takes"
    return _forgetting(f"{who} {share:.0%} from that of generation {ancestor}")


def _forgetting(what: str) -> Alarm:
    return Alarm(
        "forgetting",
        f"{what}: skills are being lost. Try opponents from a hall of fame, more openings, or "
        "several candidates for champion.",
    )


def _upper(meetings: Sequence[Meeting], level: float) -> tuple[float, float]:
    """Return the share of points, and the bound it exceeds only with probability `level`."""
    games = sum(meeting.games for meeting in meetings)
    share = sum(meeting.points for meeting in meetings) / games if games else 0.5
    return share, wilson(share, games, NormalDist().inv_cdf(1 - level))[1]


def cycling(meetings: Sequence[Meeting]) -> Alarm | None:
    """Return an alarm if results among champions are intransitive by more than chance.

    Bradley–Terry ratings are fitted to all meetings. What they leave unexplained goes round
    in circles; `intransitivity` says how likely that much is by chance. Results must also differ
    from the ratings' by a tenth of the points, with chance deducted.
    """
    rows = np.array([meeting for meeting in meetings if meeting.games], np.float64).reshape(-1, 5)
    if len(rows) < 3:
        return None
    points = rows[:, 2] + rows[:, 3] / 2
    found = intransitivity(rows[:, :2].astype(np.int64), points, rows[:, 2:].sum(1))
    if found.probability >= FALSE_CYCLING or found.excess < LEAST_CYCLING:
        return None
    circle = find_cycle(rows[:, :2].astype(np.int64), points, rows[:, 2:].sum(1))
    example = ""
    if circle is not None:
        a, b, c = circle
        example = f", as generation {a} beats {b}, {b} beats {c}, yet {c} beats {a}"
    return Alarm(
        "cycling",
        f"champions beat each other in circles{example}: progress may only go round. Try a hall of "
        "fame or fixed players among the opponents, or judge champions by ratings against anchors.",
    )


def disengagement(alike: int, same: int, how: str) -> Alarm | None:
    """Return an alarm if `alike` generations in a row had no spread of fitness, or in `same`
    in a row nearly all games ended as `how` says; at 5, 10, 20, 40 … generations."""
    if _is_time(alike):
        return Alarm(
            "disengagement",
            f"for {alike} generations all individuals have scored alike: selection has nothing to "
            "choose from. Try random openings, stronger mutation, or other opponents.",
        )
    if _is_time(same):
        return Alarm(
            "disengagement",
            f"for {same} generations nearly all games {how}: they no longer tell good from bad. "
            "Try random openings, other opponents, or another search depth.",
        )
    return None


def _is_time(streak: int) -> bool:
    ratio, rest = divmod(streak, PATIENCE)
    return streak > 0 and rest == 0 and ratio & (ratio - 1) == 0


def scores_alike(fitness: Array) -> bool:
    """Tell whether all fitness values are alike: a spread within 1% of the largest."""
    return float(np.std(fitness)) <= ALIKE_SPREAD * float(np.abs(fitness).max(initial=0.0))


def one_ending(table: ResultTable) -> str:
    """Return how nearly all games ended, "" if they ended differently."""
    shares = {
        "were won by the side that begins": (table.results > 0).sum(),
        "were drawn": (table.results == 0).sum(),
        "were won by the side that does not begin": (table.results < 0).sum(),
    }
    how, count = max(shares.items(), key=lambda item: item[1])
    return how if table.games and count >= ALIKE_RESULTS * table.games else ""


class AlarmWatch:
    """Watches every generation and remembers what the alarms need."""

    def __init__(self) -> None:
        self.meetings: list[Meeting] = []
        self.alike, self.same, self.how = 0, 0, ""

    def look(
        self, generation: int, fitness: Array, table: ResultTable, rows: Sequence[Measurement]
    ) -> list[Alarm]:
        """Return the alarms of a generation: its fitness, its games, its champion's measurements.

        Cycles are looked for now and then, when the champion has met evenly spread ancestors:
        it takes longer than everything else, and cycles do not vanish quickly.
        """
        self.alike = self.alike + 1 if scores_alike(fitness) else 0
        how = one_ending(table)
        self.same, self.how = (self.same + 1 if how and how == self.how else int(bool(how))), how
        self._remember(meetings_of(generation, rows))
        found = [disengagement(self.alike, self.same, how)]
        if any(row.kind in ("previous", "spread") for row in rows):
            found.append(forgetting(generation, self.meetings))
        if generation % CIRCLES_EVERY == 0 and any(row.kind == "spread" for row in rows):
            found.append(cycling(self.meetings))
        return [alarm for alarm in found if alarm is not None]

    def _remember(self, new: Sequence[Meeting]) -> None:
        """Add meetings, and drop those of champions measured too long ago."""
        joined: dict[tuple[int, int], Meeting] = {m[:2]: m for m in self.meetings}
        for meeting in new:
            old = joined.get(meeting[:2], Meeting(*meeting[:2], 0, 0, 0))
            sums = (a + b for a, b in zip(old[2:], meeting[2:], strict=True))
            joined[meeting[:2]] = Meeting(*meeting[:2], *sums)
        kept = sorted({meeting.later for meeting in joined.values()})[-REMEMBERED:]
        self.meetings = [meeting for meeting in joined.values() if meeting.later in kept]

    def state(self) -> dict[str, Any]:
        """Return what is remembered, as JSON values."""
        meetings = [list(meeting) for meeting in self.meetings]
        return {"meetings": meetings, "alike": self.alike, "same": self.same, "how": self.how}

    def restore(self, state: Mapping[str, Any]) -> None:
        """Take back what `state` returned."""
        self.meetings = [Meeting(*(int(cell) for cell in row)) for row in state["meetings"]]
        self.alike, self.same, self.how = int(state["alike"]), int(state["same"]), state["how"]
