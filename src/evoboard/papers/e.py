"""Paper E: draughts by a genetic algorithm and a tree search of 1, 3 and 6 plies."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from evoboard.arena.backends.base import find_backend
from evoboard.arena.elo import EloEstimate, Tally, elo_difference
from evoboard.arena.playouts import random_games
from evoboard.arena.schedules import paired_games
from evoboard.core.arrays import Array
from evoboard.core.statistics import Box, box, mean_interval, of_sum
from evoboard.core.wording import elo_words
from evoboard.games.base import DrawRules, load_game
from evoboard.papers.base import Claim, Findings, Paper, Trial, claim, most, settled
from evoboard.papers.bench import Bench
from evoboard.papers.series import SPREAD, figure_of, middle, seconds_each, spread, with_range
from evoboard.papers.strength import beyond
from evoboard.pictures.chart import COLOURS, Axis, Chart
from evoboard.pictures.report import Block, Cell, Figure, Section, Table, Words
from evoboard.runs.lineage import ChampionLineage, read_lineage
from evoboard.runs.rate import fitted
from evoboard.runs.report import champion_scores, learning_curve, seconds_per_game
from evoboard.store.reader import Reader

PLIES = (1, 3, 6)
TRIALS = {1: "draughts-1ply", 3: "draughts-3ply", 6: "draughts-6ply"}
OURS = "draughts-learn"
PAPER_GAMES = 15_000  # of 200 generations: 15 agents, 5 games each as Black
SECONDS = {1: 264.0, 3: 1052.0, 6: 2325.0}  # a generation, figure 12
NET = {1: 26_485.0, 3: 105_281.0, 6: 465_145.0}
LEARNERS = {1: 59.5, 3: 59.7, 6: 65.1}  # per cent of champions by crossover and mutation
RANDOM_LENGTH = 69.69
FIRST_MEASURED = 2  # "the first 2 champions were not measured"
FEWEST = 60  # champions from which on shares are judged, and of an origin, their scores
BINS = 20  # of the lengths of games
NO_RUN = "no run of it yet"
ORIGINS = ("persistent", "elite", "mutant", "crossover")


class Ancestors(NamedTuple):
    """The last champion against earlier ones and random moves, counts of games."""

    generations: list[int]
    results: list[list[int]]  # wins, draws, losses against each
    random: list[int]


class Draughts(Paper):
    """A neuroevolutionary approach to draughts playing agents."""

    letter, author, game = "E", "T. P. Nguyen", "draughts"
    title = "A Neuroevolutionary Approach to Draughts Playing Agents"
    kind = "BSc dissertation, Department of Computer Sciences, Durham University; supervisor "
    kind += "S. Dantchev"
    year = "undated; its latest references are from 2017"
    slips = (
        "“All systems run for 200 generations”; the net times of figure 12 are 100, 100 and 200 "
        "times the means above them.",
        "Games last “a maximum of 100 moves from both players” (III.C.2); “draws were forced when "
        "a piece was not taken after 100 moves” (IV.E.1).",
        "Figure 3 calls 2 / (1 + e^-x) − 1 tanh; it is tanh(x / 2).",
        "Crossover “negatively impacted the learning rate” by its mean score (IV.D), and shows “a "
        "negligible improvement in the learning rate” by the same figure 10 (V.B).",
    )

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The three systems, then ours."""
        few = ("measure.games=20",)
        return (
            Trial("draughts-1ply", 14, 1.4, ("search.rounds=60", *few), quick_seconds=0.4),
            Trial("draughts-3ply", 14, 5.2, ("search.rounds=180", *few), quick_seconds=1.2),
            Trial("draughts-6ply", 14, 11.5, ("search.rounds=360", *few), quick_seconds=2.5),
            Trial(OURS, 6, 3.7, ("measure.games=20",), (f"stop.games={PAPER_GAMES}",),
                  quick_seconds=1.8),
        )  # fmt: skip

    def report(self, bench: Bench) -> Findings:
        """Return figures 7 to 13, and what our own settings make of as many games."""
        found = {ply: _System(bench, ply) for ply in PLIES if bench.has(TRIALS[ply])}
        if not found:
            bench.names(TRIALS[1])  # says so
        everyone = list(found.values())
        random = _random_length(bench)
        sections = (
            Section("Figure 7: learning rate",
                    (*_absent_words(found), *(_learning(s) for s in everyone))),
            Section("Figure 8: the last champion against its ancestors",
                    (*(_performance(s) for s in everyone), _elo_table(everyone))),
            Section("Figures 9 and 10: where champions come from", tuple(_origins(everyone))),
            Section("Figure 11: number of moves", tuple(_lengths(everyone, random))),
            Section("Figures 12 and 13: time", tuple(_times(everyone))),
            Section("Beyond the paper", _beyond(bench)),
        )  # fmt: skip
        return Findings(tuple(_claims(bench, found, random)), sections)


def _absent(found: Mapping[int, _System]) -> str:
    """Return which systems have no run yet, in words to be added; "" if all have."""
    missing = [f"{ply}-ply" for ply in PLIES if ply not in found]
    return f"; no run of {' and '.join(missing)} yet" if missing else ""


def _absent_words(found: Mapping[int, _System]) -> Iterator[Block]:
    if told := _absent(found).removeprefix("; "):
        yield Words(f"{told.capitalize()}: what is said of these systems is not testable so far.")


class _System:
    """One of the three systems: its runs and what is measured on them."""

    def __init__(self, bench: Bench, ply: int) -> None:
        self.ply, self.bench = ply, bench
        self.runs = bench.runs(TRIALS[ply])
        self.learning = [learning_curve(run, FIRST_MEASURED) for run in self.runs]
        self.games = bench.scale.pick(32, 128)
        self.long, self.whole = bench.long(TRIALS[ply]), bench.whole(TRIALS[ply])
        self.ancestors = [self._meet(run) for run in self.runs]

    def _meet(self, run: Reader) -> Ancestors:
        def play() -> Ancestors:
            every = max(1, (run.count() - 1) // (4 if self.games < 128 else 10))
            return meet_ancestors(read_lineage(run.name, every), self.games, self.bench.threads)

        key = f"ancestors-{self.ply}ply"
        of = f"{run.name}@gen={run.count() - 1} {self.games}"
        return Ancestors(*self.bench.measure(key, of, play))

    @property
    def label(self) -> str:
        """As the paper calls it."""
        return f"{self.ply}-ply"


def meet_ancestors(lineage: ChampionLineage, games: int, threads: int = 0) -> Ancestors:
    """Return the last champion's games against earlier ones and random moves, from the start."""
    last = len(lineage.generations) - 1
    others = [*range(last), last + 1]
    pairs = np.array([[last, other] for other in others])
    schedule = paired_games(lineage.bound.game, pairs, games, 1, 0)
    backend = find_backend("cpu", threads)
    table = backend.play(lineage.setup, lineage.pack, schedule, 1, ("random",)).table
    counts = [list(table.between(last, other).counts_of(last)) for other in others]
    return Ancestors(list(lineage.generations[:-1]), counts[:-1], counts[-1])


def _learning(system: _System) -> Figure:
    both = spread([(found.generations, found.sums) for found in system.learning])

    def add(chart: Chart) -> None:
        chart.line([0, chart.x.high], [0, 0], "#b8b2a6", thick=1)
        for place, found in enumerate(system.learning):
            name = "linear trend of each seed" if place == 0 else ""
            trend = found.trend.at(found.generations)
            chart.line(found.generations, trend, COLOURS[1], name, dashed=True, thick=1.4)

    slopes = with_range([found.trend.slope for found in system.learning], "+.4f")
    return figure_of(
        f"e-7-{system.ply}ply", f"Figure 7, {system.label}", {"cumulative": both},
        Axis.of("cumulative learning value", [0.0, *both.low, *both.high]),
        paper="“A cumulative growth across all ply-depths can be seen … all ply-depths show a "
        "positive trend line. … the 3-ply shows a slower learning rate than the other plys.”",
        note=f"{SPREAD} Slope a generation: {slopes}.", add=add,
    )  # fmt: skip


def pooled(ancestors: Sequence[Ancestors]) -> Ancestors:
    """Return the counts of all seeds' last champions together."""
    known: dict[int, list[int]] = {}
    for each in ancestors:
        for generation, counts in zip(each.generations, each.results, strict=True):
            before = known.get(generation, [0, 0, 0])
            known[generation] = [a + b for a, b in zip(before, counts, strict=True)]
    random = np.sum([each.random for each in ancestors], axis=0).tolist()
    return Ancestors(sorted(known), [known[g] for g in sorted(known)], random)


def _performance(system: _System) -> Figure:
    met = pooled(system.ancestors)
    labels = [*(f"{g}" for g in met.generations), "random"]
    chart = Chart(
        f"{system.label}: the last champion, {system.games} games each",
        Axis.named("against the champion of generation", labels),
        Axis("share of games", 0, 1, (), ".0%"),
    )  # fmt: skip
    shares = np.array([*met.results, met.random], float)
    shares /= shares.sum(1, keepdims=True)
    for place, row in enumerate(shares):
        bottom = 0.0
        for kind, (share, colour) in enumerate(zip(row, (COLOURS[2], "#cfc9bd", COLOURS[4]),
                                                   strict=True)):  # fmt: skip
            name = ("won", "drawn", "lost")[kind] if place == 0 else ""
            chart.bar(place, bottom, bottom + float(share), colour, name=name)
            bottom += float(share)
    if len(met.generations) > 1:
        trend = fitted(np.array(met.generations), shares[:-1].T)
        chart.line(range(len(met.generations)), trend[0], "#123", "trend of wins", dashed=True)
    told = "“the winning rate increased over time … For plys 3 and 6, it performed significantly "
    told += (
        "better than its generation 0 counterpart … This was not the case for the 1-ply - where "
    )
    told += "it lost more frequently than its wins and draws combined”. 128 games each."
    data = {
        "opponent": labels,
        **{kind: shares[:, i].tolist() for i, kind in enumerate(("won", "drawn", "lost"))},
    }
    return Figure(
        f"e-8-{system.ply}ply", f"Figure 8, {system.label}", chart.finish(), told,
        "All seeds together, each seed's last champion against its own ancestors, from the start "
        "position, half the games with each colour.", data,
    )  # fmt: skip


def _elo_table(systems: Sequence[_System]) -> Table:
    """Return how much stronger the last champions are than generation 0 and random moves."""
    rows: list[tuple[Cell, ...]] = []
    for system in systems:
        for title, met in (
            ("generation 0", [each.results[0] for each in system.ancestors if each.results]),
            ("random moves", [each.random for each in system.ancestors]),
        ):
            if not met:
                continue
            elos = [_elo(*each) for each in met]
            whole = _elo(*np.sum(met, axis=0).tolist())
            told = elo_words(whole.elo, whole.low, whole.high)
            rows.append((system.label, title, *np.sum(met, axis=0).tolist(), told,
                         with_range([each.elo for each in elos], "+.0f")))  # fmt: skip
    columns = ("system", "against", "won", "drawn", "lost", "Elo, all seeds (95%)", "Elo by seed")
    return Table(
        "e-8-elo", "The last champion's Elo", columns, rows, "The paper gives no Elo.",
        "The interval is over games, as if every game were a new one; seeds: median (lowest … "
        "highest).",
    )  # fmt: skip


def _elo(wins: int, draws: int, losses: int) -> EloEstimate:
    return elo_difference(Tally(lone=(losses, draws, wins)))


def origin_scores(runs: Sequence[Reader]) -> dict[str, list[float]]:
    """Return the learning values of champions by origin; NaN where it was not measured."""
    found: dict[str, list[float]] = {origin: [] for origin in ORIGINS}
    for run in runs:
        # The first generation has no parents.
        for origin, scores in champion_scores(run, first=1).items():
            found.setdefault(origin, []).extend(scores)
    return found


def shares_of(scores: dict[str, list[float]]) -> dict[str, float]:
    """Return the share of champions of each origin."""
    total = max(1, sum(map(len, scores.values())))
    return {origin: len(values) / total for origin, values in scores.items()}


def _origins(systems: Sequence[_System]) -> Iterator[Block]:
    kinds = list(dict.fromkeys([*ORIGINS, *(o for s in systems for o in origin_scores(s.runs))]))
    chart = Chart(
        "Champions by origin", Axis.named("", kinds), Axis("share of champions", 0, 1, (), ".0%")
    )
    rows: list[tuple[Cell, ...]] = []
    for place, system in enumerate(systems):
        shares = shares_of(origin_scores(system.runs))
        for i, kind in enumerate(kinds):
            name = system.label if i == 0 else ""
            value = shares.get(kind, 0.0)
            chart.bar(i + 0.27 * (place - 1), 0, value, COLOURS[place], 0.24, name, f"{value:.0%}")
        learners = shares.get("mutant", 0) + shares.get("crossover", 0)
        rows.append((system.label, LEARNERS[system.ply], round(100 * learners, 1),
                     *(round(100 * shares.get(kind, 0.0), 1) for kind in kinds)))  # fmt: skip
    told = "Crossover and mutation together: 59.5%, 59.7% and 65.1% of the champions at 1, 3 and "
    told += "6 ply; “crossover holds the highest probability across the plys”."
    yield Figure("e-9", "Figure 9", chart.finish(), told, "All seeds together.")
    columns = ("system", "paper: crossover and mutation, %", "ours, %", *(f"{k}, %" for k in kinds))
    yield Table("e-9-shares", "Champions by origin, per cent", columns, rows, told)
    for system in systems:
        scores = boxes_of(origin_scores(system.runs))
        values = np.array([v for each in scores.values() for v in each] or [0.0])
        names = [f"{name} ({len(each)})" for name, each in scores.items()]
        chart = Chart(
            f"{system.label}: learning value by origin", Axis.named("", names),
            Axis.of("learning value", [*values, -1, 1]),
        )  # fmt: skip
        for i, each in enumerate(scores.values()):
            chart.box(i, each, COLOURS[i])
        told = "“crossovers had a larger range of possible values compared to its mutation "
        told += "counterparts … the mean crossover score suggested that it negatively impacted the "
        told += "learning rate … elite genomes (… includes persistent agents) … more likely to "
        told += "increase the learning rate.”"
        yield Figure(
            f"e-10-{system.ply}ply", f"Figure 10, {system.label}", chart.finish(), told,
            "Box: quartiles and median; dashed: mean; dots: champions. Elite includes persistent.",
            {"origin": [n for n, each in scores.items() for _ in each],
             "learning value": [v for each in scores.values() for v in each]},
        )  # fmt: skip


def boxes_of(scores: dict[str, list[float]]) -> dict[str, list[float]]:
    """Return measured learning values as figure 10 groups them: elite includes persistent."""
    known = {o: [v for v in values if not np.isnan(v)] for o, values in scores.items()}
    elite = known.pop("persistent", []) + known.pop("elite", [])
    return {"elite": elite, "mutant": known.pop("mutant", []),
            "crossover": known.pop("crossover", [])}  # fmt: skip


def mean_difference(first: Sequence[float], second: Sequence[float]) -> tuple[float, float, float]:
    """Return by how much the first mean is greater, with its interval; NaN where one is empty."""
    if not (len(first) and len(second)):
        return np.nan, np.nan, np.nan
    (one, low, high), (other, least, most) = (
        map(float, mean_interval(np.array(values))) for values in (first, second)
    )
    return of_sum([(one, low, high), (-other, -most, -least)])


def length_table(runs: Sequence[Reader]) -> tuple[Array, float, int]:
    """Return counts of games (plies, generations), the longest game, and how many generations."""
    counts = np.array([each for run in runs for each in run.length_counts()]).reshape(-1, 3)
    return _counted(counts[:, 0], counts[:, 1], counts[:, 2], 1.0)


def game_times(runs: Sequence[Reader]) -> tuple[Array, Array]:
    """Return generations of all runs, and the mean seconds of a game; the first one compiles."""
    found = [seconds_per_game(run) for run in runs]
    generations = np.concatenate([each.generations for each in found])
    seconds = np.concatenate([each.values["game"] for each in found])
    known = np.isfinite(seconds) & (generations > 0)
    return generations[known], seconds[known]


def _counted(
    generations: Array, values: Array, numbers: Array, longest: float
) -> tuple[Array, float, int]:
    """Return a histogram of values by generation, the largest of them, and how many generations."""
    longest = max(longest, float(values.max(initial=0)))
    count = int(generations.max(initial=0)) + 1
    columns = min(count, 50)
    cells = np.zeros((BINS, columns))
    rows = np.minimum(BINS - 1, values * BINS / longest).astype(np.int64)
    np.add.at(cells, (rows, generations.astype(np.int64) * columns // count), numbers)
    return cells, longest, count


def lengths_of(runs: Sequence[Reader]) -> Box:
    """Return the lengths of all fitness games of some runs as a box plot's numbers."""
    counts = np.array([(p, n) for run in runs for _, p, n in run.length_counts()], np.int64)
    return box(np.repeat(*counts.reshape(-1, 2).T))


def _lengths(systems: Sequence[_System], random: float) -> Iterator[Block]:
    rows: list[tuple[Cell, ...]] = []
    for system in systems:
        cells, longest, generations = length_table(system.runs)
        chart = Chart(
            f"{system.label}: how many plies games last", Axis("generation", 0, generations),
            Axis("plies", 0, longest),
        )  # fmt: skip
        chart.heat(cells)
        told = (
            "“the median number of moves in a game for 1-ply was around 50. For the higher plys, "
        )
        told += "the median was not as tightly grouped together.”"
        yield Figure(f"e-11-{system.ply}ply", f"Figure 11, {system.label}", chart.finish(), told,
                     "All seeds; the darker, the more games.")  # fmt: skip
        paper = "median about 50" if system.ply == 1 else "longer than at 1 ply, by the mean"
        lengths = lengths_of(system.runs)
        rows.append((system.label, paper, lengths.median, round(lengths.mean, 1)))
    rows.append(("random moves", "mean 69.69", None, round(random, 2)))
    rows.append(("US National 1952", "mean 54.74", None, None))
    columns = ("games of", "paper, moves", "ours, median plies", "ours, mean plies")
    told = "10,000 random games averaged 69.69 moves; tournament games of 1952, 54.74."
    note = (
        "A ply is a move of one side; by their mean, the paper's moves of random games are plies."
    )
    yield Table("e-11-lengths", "Moves of a game", columns, rows, told, note)


def _random_length(bench: Bench) -> float:
    """Return the mean length of random games under the draw rules that give the paper's figure."""
    count = bench.scale.pick(2_000, 10_000)

    def play() -> float:
        rules = DrawRules(repetitions=3, quiet=100, plies=0)
        return float(random_games(load_game("draughts:blocked=draw"), count, 1, rules).plies.mean())

    return float(bench.measure("random-games", str(count), play))


def _times(systems: Sequence[_System]) -> Iterator[Block]:
    rows: list[tuple[Cell, ...]] = []
    for system in systems:
        ours = middle(seconds_each(system.runs))
        theirs = SECONDS[system.ply]
        cells = (theirs, NET[system.ply], round(ours, 2), _threads(system.runs[0]) or "all")
        rows.append((system.label, *cells, round(theirs / ours, 1), _rounds(system.runs[0])))
    columns = ("system", "paper: s a generation", "paper: s in all", "ours: s a generation",
               "threads", "times faster", "rounds a move here")  # fmt: skip
    told = "A generation took 0:04:24, 0:17:32 and 0:38:45 on 64 cores; in all 7:21:25, 1 day "
    told += "5:14:41 and 5 days 9:12:25."
    note = "The paper's totals are 100, 100 and 200 of its means. Ours include every measurement."
    yield Table("e-12", "Figure 12: running times", columns, rows, told, note)
    for system in systems:
        generations, seconds = game_times(system.runs)
        counts, longest, count = _counted(generations, seconds, np.ones(len(seconds)), 1e-9)
        chart = Chart(
            f"{system.label}: seconds a game", Axis("generation", 0, count),
            Axis("seconds a game", 0, longest),
        )  # fmt: skip
        chart.heat(counts)
        yield Figure(
            f"e-13-{system.ply}ply", f"Figure 13, {system.label}", chart.finish(),
            "2D histograms of “the average times spent on the games”; “the CPU time was unstable "
            "during training … most likely related to the use of a time-shared machine”.",
            "All seeds; the darker, the more generations. Time of a generation's games divided by "
            "their number, all cores at work: a single game's is not known, as games are played "
            "side by side.",
            {"generation": generations.tolist(), "seconds a game": seconds.tolist()},
        )  # fmt: skip


def _threads(run: Reader) -> int:
    """Return how many threads a run was trained with last; 0: all cores there were."""
    return int(run.sessions()[-1]["threads"])


def work_of(runs: Sequence[Reader]) -> float:
    """Return what a generation takes: seconds times threads, where their number is known."""
    each = zip(seconds_each(runs), map(_threads, runs), strict=True)
    return middle([seconds * max(1, threads) for seconds, threads in each])


def _rounds(run: Reader) -> int:
    return int(run.facts()["player"]["settings"]["rounds"])


def _beyond(bench: Bench) -> tuple[Block, ...]:
    games = bench.scale.pick(20, 100)
    told = Words(
        "The paper's three systems and ours (a network that sees where men and kings stand, "
        "learns from the positions of all games, alpha-beta with quiescence) after at most "
        f"{PAPER_GAMES:,} games, which 200 generations of the paper are."
    )
    return told, beyond(bench, "draughts", list(TRIALS.values()), [OURS], games)


def _claims(bench: Bench, found: dict[int, _System], random: float) -> Iterator[Claim]:
    yield from _learning_claims(found)
    yield from _ancestor_claims(found)
    yield from _origin_claims(found)
    lengths = {ply: lengths_of(system.runs) for ply, system in found.items()}
    # Games grow longer, and slower, while their players learn: so these are about whole runs.
    full = not _absent(found) and all(system.whole for system in found.values())
    fewer = "; fewer rounds or generations than the paper's"
    short = "" if full else fewer
    short = _absent(found) or short
    first = lengths[1].median if 1 in lengths else np.nan
    yield claim(
        "Games last about 50 moves (median) at 1 ply.", "figure 11",
        abs(first - 50) <= 10 if 1 in found and found[1].whole else None,
        f"median {first:.0f} plies at 1 ply, {first / 2:.0f} moves of both sides together "
        "(counted as reproduced: 40 to 60 plies)"
        f"{'' if found[1].whole else fewer}"
        if 1 in found else NO_RUN,
    )  # fmt: skip
    means = {ply: each.mean for ply, each in lengths.items()}
    yield claim(
        "Games last longer at 3 and 6 plies than at 1.", "IV.E.1",
        means[3] > means[1] and means[6] > means[1] if full else None,
        "mean plies " + ", ".join(f"{value:.1f} at {ply} ply" for ply, value in means.items())
        + short,
    )  # fmt: skip
    yield claim(
        "Random games last 69.69 moves on average.",
        "IV.E.1",
        abs(random - RANDOM_LENGTH) <= 1.0,
        f"{random:.2f} plies where a game is drawn after 100 plies without a capture, and where a "
        "side has pieces but no move (the other reading, at most 100 plies, gives about 65)",
    )
    each = {p: work_of(s.runs) for p, s in found.items()}
    told = "core seconds a generation "
    told += ", ".join(f"{value:.2f} at {ply} ply" for ply, value in each.items())
    if not _absent(found):
        told += (
            f", 1 : {each[3] / each[1]:.1f} : {each[6] / each[1]:.1f}; a ply more takes "
            f"{_steps(each)[0]:.2f} s from 1 to 3 and {_steps(each)[1]:.2f} s from 3 to 6 (the "
            f"paper's: {_steps(SECONDS)[0]:.0f} and {_steps(SECONDS)[1]:.0f} s; counted as "
            "linear: one at most twice the other)"
        )
    yield claim(
        "Time grows about linearly with the plies (1 : 4.0 : 8.8).", "IV.E.2, figure 12",
        linear(each) if full else None, f"{told}{short}",
    )  # fmt: skip


def _steps(seconds: Mapping[int, float]) -> tuple[float, float]:
    return (seconds[3] - seconds[1]) / 2, (seconds[6] - seconds[3]) / 3


def linear(seconds: Mapping[int, float]) -> bool:
    """Tell whether a ply more takes about as long from 1 to 3 plies as from 3 to 6."""
    low, high = sorted(_steps(seconds))
    return 0 < high <= 2 * low


def _learning_claims(found: dict[int, _System]) -> Iterator[Claim]:
    sums = {p: [float(c.sums[-1]) for c in s.learning if len(c.sums)] for p, s in found.items()}
    slopes = {p: [c.trend.slope for c in s.learning if len(c.sums) > 1] for p, s in found.items()}
    for ply in PLIES:
        text = f"{ply}-ply: the cumulative learning value ends positive, with a positive trend."
        if ply not in found:
            yield claim(text, "figure 7", None, NO_RUN)
            continue
        yield claim(
            text, "figure 7",
            most([a > 0 and b > 0 for a, b in zip(sums[ply], slopes[ply], strict=True)])
            if found[ply].long else None,
            f"sum {with_range(sums[ply], '+.2f')}, slope {with_range(slopes[ply], '+.4f')}"
            f"{_short(found[ply])}",
        )  # fmt: skip
    middles = {ply: middle(values) for ply, values in slopes.items()}
    yield claim(
        "The 3-ply system learns more slowly than the others.", "figure 7",
        bool(middles[3] < min(middles[1], middles[6]))
        if _judged(found) and all(slopes.values()) else None,
        "median slopes "
        + ", ".join(f"{with_range([v], '+.4f')} at {p} ply" for p, v in middles.items())
        + _absent(found),
    )  # fmt: skip


def _judged(found: Mapping[int, _System]) -> bool:
    """Tell whether all systems were run for long enough to be compared."""
    return not _absent(found) and all(system.long for system in found.values())


def _ancestor_claims(found: dict[int, _System]) -> Iterator[Claim]:
    for ply in PLIES:
        if ply == 1:
            text = "1-ply: the last champion loses to generation 0 more often than it wins and "
            text += "draws together."
        else:
            text = f"{ply}-ply: the last champion does significantly better than its generation 0."
        if ply not in found:
            yield claim(text, "figure 8", None, NO_RUN)
            continue
        met = [each.results[0] for each in found[ply].ancestors if each.results]
        told = "; ".join(f"+{w} ={d} −{n}" for w, d, n in met)
        if ply == 1:
            holds = most([n > w + d for w, d, n in met])
        else:
            holds = most([clearly_better(w, n) for w, _, n in met])
        holds = holds if found[ply].long else None
        yield claim(text, "figure 8", holds, f"against generation 0: {told}{_short(found[ply])}")
    for ply in PLIES:
        text = f"{ply}-ply: the last champion does not play at random: it beats random moves."
        if ply not in found:
            yield claim(text, "figure 8", None, NO_RUN)
            continue
        shares = [each.random[0] / sum(each.random) for each in found[ply].ancestors]
        beats = most([share > 0.75 for share in shares])
        yield claim(
            text, "figure 8", settled(beats, found[ply].long),
            f"{with_range([100 * s for s in shares], '.0f')}% won against random moves (counted "
            f"as beaten: more than 75%){'' if beats else _short(found[ply])}",
        )  # fmt: skip


def clearly_better(wins: int, losses: int) -> bool:
    """Tell whether a player wins more games than chance would give equal players, at 95%."""
    return bool(wins - losses > 1.96 * np.sqrt(wins + losses))


def _short(system: _System) -> str:
    return "" if system.long else f" after {system.runs[0].count()} generations only"


def _origin_claims(found: dict[int, _System]) -> Iterator[Claim]:
    scores = {ply: origin_scores(system.runs) for ply, system in found.items()}
    shares = {ply: shares_of(each) for ply, each in scores.items()}
    count = min(sum(map(len, each.values())) for each in scores.values())
    long = _judged(found)
    told = "" if count >= FEWEST else f"; {count} champions are too few to tell"
    told = told if long or told else _absent(found) or "; too few generations to tell"
    learners = {p: 100 * (s.get("mutant", 0) + s.get("crossover", 0)) for p, s in shares.items()}
    yield claim(
        "Crossover and mutation make 59.5, 59.7 and 65.1% of the champions.", "figure 9",
        all(abs(learners[ply] - LEARNERS[ply]) <= 10 for ply in PLIES) if not told else None,
        ", ".join(f"{value:.1f}% at {ply} ply" for ply, value in learners.items())
        + f" (counted as reproduced within 10 points){told}",
    )  # fmt: skip
    yield claim(
        "Of all origins, crossover makes the most champions.", "IV.C",
        all(max(s, key=lambda o: s[o]) == "crossover" for s in shares.values())
        if not told else None,
        "; ".join(f"{ply} ply: " + ", ".join(f"{o} {v:.0%}" for o, v in s.items() if v)
                  for ply, s in shares.items()),
    )  # fmt: skip
    yield claim(
        "The deeper the search, the fewer champions come by crossover.", "IV.C",
        all(shares[a]["crossover"] > shares[b]["crossover"] for a, b in pairwise(PLIES))
        if not told else None,
        ", ".join(f"{s['crossover']:.0%} at {p} ply" for p, s in shares.items()) + told,
    )  # fmt: skip
    boxes = {ply: boxes_of(each) for ply, each in scores.items()}
    everything: dict[str, list[float]] = {}
    for each in boxes.values():
        for origin, values in each.items():
            everything.setdefault(origin, []).extend(values)
    means = {origin: float(np.mean(v)) if v else np.nan for origin, v in everything.items()}
    told = ", ".join(
        f"{o} {with_range([m], '+.3f')} ({len(everything[o])})" for o, m in means.items()
    )
    gap, low, high = mean_difference(everything["crossover"], everything["elite"])
    yield claim(
        "Champions by crossover score below those that were elite.", "IV.D, figure 10",
        bool(high < 0) if long and _many(everything, "crossover", "elite") else None,
        f"mean learning values (champions): {told}; crossover's less elite's "
        f"{gap:+.3f} (95%: {low:+.3f} … {high:+.3f})",
    )  # fmt: skip
    spreads = {origin: quartile_range(values) for origin, values in everything.items()}
    yield claim(
        "Scores of champions by crossover spread wider than those by mutation.", "figure 10",
        bool(spreads["crossover"] > spreads["mutant"])
        if long and _many(everything, "crossover", "mutant") else None,
        "the middle half of the learning values spans "
        + ", ".join(f"{o} {with_range([r], '.2f')}" for o, r in spreads.items()),
    )  # fmt: skip


def quartile_range(values: Sequence[float]) -> float:
    """Return what the middle half of values spans; more values do not make it wider."""
    found = box(np.array(values, float))
    return found.three_quarters - found.quarter


def _many(scores: Mapping[str, Sequence[float]], *origins: str) -> bool:
    return all(len(scores.get(origin, ())) >= FEWEST for origin in origins)


PAPER = Draughts()
