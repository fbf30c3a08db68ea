"""Paper A: NEAT and tournament series for a small chess without check, graded SK, MK, SP and MP."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from evoboard.core.arrays import Array
from evoboard.games.base import Game, load_game
from evoboard.games.history import History
from evoboard.games.kingcapture import BISHOP, KNIGHT, PAWN, ROOK
from evoboard.networks import graph
from evoboard.networks.graph_network import GraphNetwork
from evoboard.papers.base import Claim, Findings, Paper, Trial, claim, most, settled
from evoboard.papers.bench import Bench, champion_text
from evoboard.papers.marks import PERSONS, Marked, Marks, Person, drawn_tables, marked_in_games
from evoboard.papers.series import figure_of, middle, number, with_range
from evoboard.papers.strength import Games, beyond, match
from evoboard.pictures.board import draw_board
from evoboard.pictures.chart import COLOURS, Axis, Chart
from evoboard.pictures.network import draw_network
from evoboard.pictures.report import Block, Cell, Figure, Section, Table, Words
from evoboard.players.base import borrowed_player, make_player
from evoboard.players.network import PlayerNetwork, find_network
from evoboard.store.reader import Reader
from evoboard.training.grades.base import grade_for
from evoboard.training.grades.kingcapture_positions import KINDS, TestSet, load_positions

PARTS = ("sk", "mk", "sp", "mp")
POINTS = (10.0, 10.0, 5.0, 5.0)
GAME = "kingcapture"
UNTRAINED = (0, 6, 0, 1)
OURS = ("kingcapture-learn-1ply", "kingcapture-learn")
PAPER_GAMES = (
    2_450_000  # of a session of 1,000 tournaments: 50 networks, all meet with both colours
)
NEAR = 3  # points of 30 that a TOT may lie from the paper's to count as the same
GAMES = 200  # in which a network is marked
NEAR_PARTS = 2  # and points of 10, or 1 of 5, that SK and MK, SP and MP may


class Session(NamedTuple):
    """A row of the paper's tables: figure, parameters, grades."""

    name: str
    figure: str
    tournaments: int
    links: float  # the coefficient of different connections; NaN where the table has none
    weights: float
    node: float
    link: float
    power: float
    grades: tuple[int, int, int, int]
    longer: bool = False  # the same settings as a shorter session: left out of quick runs

    @property
    def is_series(self) -> bool:
        """Whether it is a tournament series."""
        return self.name.startswith("TT")

    @property
    def seconds(self) -> float:
        """What a tournament takes of one core, about: networks grow, those of a series less."""
        grown = (0.2 + 0.6 * self.node + 0.2 * self.link) * (self.tournaments / 1000) ** 0.5
        return grown / 3 if self.is_series else grown

    @property
    def experiment(self) -> str:
        """The experiment of the session."""
        if self.is_series:
            return f"kingcapture-series-tt{self.name[3:]}"
        return f"kingcapture-neat-{int(self.name):02}"

    @property
    def total(self) -> int:
        """TOT."""
        return sum(self.grades)


def _sessions() -> Iterator[Session]:
    first = ((4, 9, 2, 1), (3, 7, 2, 2), (2, 5, 1, 2), (3, 7, 2, 2), (1, 8, 0, 2), (1, 5, 2, 1),
             (4, 8, 3, 2), (2, 7, 2, 1), (1, 8, 0, 0))  # fmt: skip
    for i, grades in enumerate(first):
        node, link = ((0.1, 0.1), (0.3, 0.5), (0.5, 0.9))[i // 3]
        power = (0.2, 0.5, 0.8)[i % 3]
        yield Session(f"{1 + i}", "27, 28", 1000, 0.9, 0.1, node, link, power, grades)
    second = ((4, 8, 2, 1), (3, 10, 0, 1), (2, 6, 1, 1), (5, 7, 2, 2), (3, 8, 2, 2), (6, 6, 1, 0),
              (7, 10, 1, 0), (3, 6, 2, 1), (0, 10, 0, 3))  # fmt: skip
    for i, grades in enumerate(second):
        node, link = (0.1, 0.3, 0.5)[i // 3], (0.1, 0.5, 0.9)[i % 3]
        yield Session(f"{10 + i}", "34, 35", 1000, 0.9, 0.1, node, link, 0.2, grades)
    third = ((6, 7, 1, 2), (6, 9, 0, 2), (7, 8, 1, 1), (6, 5, 1, 2))
    shapes = ((0.1, 0.1, 0.1), (0.1, 0.5, 0.1), (0.1, 0.5, 0.9), (0.9, 0.1, 0.1))
    for i, (grades, (weights, node, link)) in enumerate(zip(third, shapes, strict=True)):
        yield Session(f"{28 + i}", "40, 41", 2000, 0.9, weights, node, link, 0.2, grades, i < 3)
    fourth = ((0, 8, 2, 0), (3, 6, 2, 0), (2, 6, 1, 1), (4, 5, 2, 1))
    for i, (grades, (weights, node, link)) in enumerate(zip(fourth, shapes, strict=True)):
        yield Session(f"{34 + i}", "44", 4000, 0.9, weights, node, link, 0.2, grades, True)
    series = ((6, 10, 0, 4), (2, 8, 2, 1), (3, 5, 2, 4), (7, 10, 2, 3), (7, 10, 1, 1),
              (6, 10, 1, 2), (5, 7, 1, 1), (6, 10, 0, 3))  # fmt: skip
    kinds = ((0.1, 0.1, 0.2), (0.1, 0.1, 0.5), (0.3, 0.5, 0.2), (0.3, 0.5, 0.5), (0.3, 0.5, 0.8),
             (0.5, 0.9, 0.2), (0.5, 0.9, 0.5), (0.1, 0.1, 0.2))  # fmt: skip
    none = float("nan")
    for i, (grades, (node, link, power)) in enumerate(zip(series, kinds, strict=True)):
        length = 10_000 if i == 7 else 4000
        name = f"TT {1 + i}"
        yield Session(name, "47, 48", length, none, none, node, link, power, grades, i == 7)


SESSIONS = tuple(_sessions())
NAMED = {session.name: session for session in SESSIONS}
SETS = (
    ("Figures 27 and 28: the first set", "27, 28"),
    ("Figures 34 and 35: the second set", "34, 35"),
    ("Figures 40 and 41: 2,000 tournaments", "40, 41"),
    ("Figure 44: 4,000 tournaments", "44"),
    ("Figures 47 and 48: tournament series", "47, 48"),
)


class ChessLike(Paper):
    """NEAT algorithm in chess-like games."""

    letter, author, year, game = "A", "Alessandro Sebastianelli", "academic year 2023/2024", GAME
    title = "NEAT algorithm in chess-like games: design, implementation, and comparative analysis"
    kind = "Bachelor's thesis, Università Politecnica delle Marche; supervisor Simone Fiori"
    seeds = (1, 3)
    slips = (
        "Network 100.342 is of session 35 in the text and of session 36 below figure 46.",
        "The mutation power is called a variance and handed to gauss() as a deviation.",
        "Figure 44 shows grades of the 4,000-tournament sessions without their parameters.",
    )

    @property
    def trials(self) -> tuple[Trial, ...]:
        """All sessions of the tables, then ours."""
        few = ("measure.every=13", "measure.games=10")
        papers = [
            Trial(s.experiment, 40, s.seconds, few, quick_seconds=0.08,
                  only="full" if s.longer else None)
            for s in SESSIONS
        ]  # fmt: skip
        equal = (f"stop.games={PAPER_GAMES}",)
        ours = [
            Trial(OURS[0], 25, 1.0, ("measure.every=12", "measure.games=20"), equal),
            Trial(OURS[1], 6, 6.0, ("measure.every=5", "measure.games=20"), equal,
                  quick_seconds=3.0),
        ]  # fmt: skip
        return (*papers, *ours)

    def report(self, bench: Bench) -> Findings:
        """Return the tables, curves, networks and positions, and what our own settings reach."""
        found = Grades(bench)
        sections = (
            Section("Grades, session by session", tuple(_tables(bench, found))),
            Section("Who plays in the person's place", tuple(_persons(bench, found))),
            Section("What marks of so few cases say", tuple(_luck(found))),
            Section("The same networks, graded at other depths", tuple(_depths(bench, found))),
            Section("Curves", tuple(_curves(bench))),
            Section("Networks, drawn as PlotGraph draws them", tuple(_networks(bench, found))),
            Section("Positions that the program found", tuple(_positions(bench, found))),
            Section("Figure 49: a network trained at depth 1, playing at depth 4",
                    tuple(_deeper(bench))),
            Section("Beyond the paper", _beyond(bench, found)),
        )  # fmt: skip
        return Findings(tuple(_claims(bench, found)), sections)


class Grades:
    """Unaided grades of last champions by session, and those of untrained and random play.

    `of`: in fixed positions; `played`: marks in games, as the paper gives them.
    """

    def __init__(self, bench: Bench) -> None:
        self.bench = bench
        self.sessions = [s for s in SESSIONS if bench.has(s.experiment)]
        self.of = {
            s.name: [last_grades(run) for run in bench.runs(s.experiment)] for s in self.sessions
        }
        self.played = {
            s.name: [self.marked(run) for run in bench.runs(s.experiment)] for s in self.sessions
        }
        first = [run for s in self.sessions[:3] for run in bench.runs(s.experiment)]
        self.untrained = [grades_of(run.rows(0, 0)[0].numbers) for run in first]
        self.untrained_played = [self.marked(run, 0) for run in first]
        self.random = bench.measure("grade", "random", _random_grades)

    def marked(
        self, run: Reader, generation: int | None = None, person: Person = PERSONS[0]
    ) -> Marked:
        """Return the marks of a run's last champion, or another, in games."""
        text = champion_text(run, generation)
        of = f"{text} {person.text} {person.slips} {GAMES}"
        found = self.bench.measure("marked", of, lambda: marked_in_games(text, person, GAMES))
        return Marked(*found)

    def total(self, name: str) -> float:
        """Return the median TOT of a session over seeds, in fixed positions."""
        return middle([sum(each) for each in self.of[name]])

    def played_total(self, name: str) -> float:
        """Return the median TOT of a session over seeds, in games."""
        return middle([each.total for each in self.played[name]])

    def means(self, names: Sequence[str]) -> list[float]:
        """Return the mean TOT of sessions, for each seed."""
        totals = [[sum(each) for each in self.of[name]] for name in names]
        return np.mean(totals, axis=0).tolist() if totals else []

    def have(self, names: Sequence[str], whole: bool = False) -> bool:
        """Tell whether sessions were run for long enough to be judged; `whole`: to their end."""
        known = {s.name: s for s in self.sessions}
        enough = self.bench.whole if whole else self.bench.long
        return all(name in known and enough(known[name].experiment) for name in names)

    def best(self, series: bool, played: bool = False) -> tuple[str, float]:
        """Return the best session among the series, or among the others, and its TOT."""
        own = [s.name for s in self.sessions if s.is_series == series]
        total = self.played_total if played else self.total
        name = max(own, key=lambda each: np.nan_to_num(total(each)))
        return name, total(name)


def grades_of(numbers: Any) -> list[float]:
    """Return SK, MK, SP and MP as the paper means them: unaided."""
    return [float(numbers.get(f"grade_unaided_{part}", np.nan)) for part in PARTS]


def last_grades(run: Reader) -> list[float]:
    """Return the grades of the last champion that was graded."""
    rows = [row for row in run.rows() if "grade_unaided" in row.numbers]
    return grades_of(rows[-1].numbers) if rows else [np.nan] * 4


def _random_grades() -> list[float]:
    grade = grade_for(load_game(GAME))
    found = grade.of_player(make_player("random", grade.game))
    return [part.points for part in found.unaided or found.parts]


def _tables(bench: Bench, found: Grades) -> Iterator[Block]:
    yield Words(
        "SK, MK: 0 to 10, SP, MP: 0 to 5, TOT: 0 to 30. The paper's grades were given by hand, "
        "“based on how often a network reflects the individual parameter during a series of games "
        "played against a human opponent”. Ours are computed in two ways, both unaided: the "
        "network values every position, one without a king, too. *Positions*: shares of 300 fixed "
        "positions of each kind, the same for all networks. *Games*: as the paper does it, by the "
        f"cases that come up in {GAMES} games of each network; its opponent counts pieces at the "
        "same depth."
    )
    untrained = _medians(found.untrained)
    played = _medians([each.points for each in found.untrained_played])
    rows = (
        ("untrained, positions", *_pairs(UNTRAINED, untrained), sum(UNTRAINED),
         round(sum(untrained), 1)),
        ("untrained, games", *_pairs(UNTRAINED, played), sum(UNTRAINED), round(sum(played), 1)),
        ("random moves, positions", *_pairs((None,) * 4, found.random), None,
         round(sum(found.random), 1)),
    )  # fmt: skip
    columns = ("", *(f"{p.upper()} {who}" for p in PARTS for who in ("paper", "ours")),
               "TOT paper", "TOT ours")  # fmt: skip
    told = (
        "Figure 26: SK 0, MK 6, SP 0, MP 1, TOT 7 for an untrained network; it “played randomly, "
    )
    told += "without any discernible purpose”."
    note = "Untrained: champions of generation 0, whose weights have been mutated once."
    yield Table("a-26", "Figure 26: before any training", columns, rows, told, note)
    for title, figure in SETS:
        own = [s for s in SESSIONS if s.figure == figure]
        yield _table(bench, found, title, figure, own)
    yield _bars(found)


def _table(
    bench: Bench, found: Grades, title: str, figure: str, sessions: Sequence[Session]
) -> Table:
    rows: list[tuple[Cell, ...]] = []
    for s in sessions:
        distance = None if np.isnan(s.links) else f"{s.links} / {s.weights}"
        given = (s.name, s.tournaments, distance, s.node, s.link, s.power)
        if s.name in found.of:
            ours = _medians([each.points for each in found.played[s.name]])
            games = with_range([each.total for each in found.played[s.name]], ".1f")
            total = with_range([sum(each) for each in found.of[s.name]], ".1f")
            run = bench.reached(s.experiment)[0]
            rows.append((*given, *_pairs(s.grades, ours), s.total, games, total, run))
        else:
            rows.append((*given, *_pairs(s.grades, (None,) * 4), s.total, None, None, None))
    columns = (
        "ID", "tournaments", "connection / weight difference", "add node", "add conn.", "power",
        *(f"{p.upper()} {who}" for p in PARTS for who in ("paper", "games")),
        "TOT paper", "TOT games", "TOT positions", "tournaments here",
    )  # fmt: skip
    note = "Games, positions: ours, medians over seeds, TOT with lowest … highest. All at depth 1, "
    note += "with 5 tries to add a connection"
    note += ", in series of 20 tournaments." if figure == "47, 48" else "."
    if figure == "44":
        note += " The paper's figure has no parameters: they are taken for those of figure 40."
    if len(found.of) < len(SESSIONS):
        note += " Rows without ours have the settings of shorter sessions, and are run by --full."
    name = f"a-{figure.replace(', ', '-')}"
    return Table(name, title, columns, rows, note=note)


def _pairs(paper: Sequence[Cell], ours: Sequence[float | None]) -> list[Cell]:
    cells: list[Cell] = []
    for theirs, own in zip(paper, ours, strict=True):
        cells += [theirs, None if own is None else round(own, 1)]
    return cells


def _medians(rows: Sequence[Sequence[float]]) -> list[float]:
    return [middle([row[i] for row in rows]) for i in range(4)]


def _bars(found: Grades) -> Figure:
    chart = Chart(
        "TOT of every session", Axis.named("session", [s.name for s in SESSIONS]),
        Axis("TOT", 0, 30), 1100, 380,
    )  # fmt: skip
    for place, s in enumerate(SESSIONS):
        chart.bar(place - 0.28, 0, s.total, "#d9b56c", 0.26, "the paper" if place == 0 else "")
        if s.name not in found.of:
            continue
        both = (
            ("ours, in games", 0.0, COLOURS[0], [each.total for each in found.played[s.name]]),
            ("ours, in positions", 0.28, COLOURS[1], [sum(each) for each in found.of[s.name]]),
        )
        for name, beside, colour, totals in both:
            chart.bar(place + beside, 0, middle(totals), colour, 0.26, "" if place else name)
            if len(totals) > 1:
                chart.whisker(place + beside, min(totals), max(totals))
    chart.level(sum(UNTRAINED), "the paper, untrained: 7")
    data: dict[str, list[Any]] = {
        "session": [s.name for s in SESSIONS],
        "paper": [s.total for s in SESSIONS],
        "ours, games": [
            found.played_total(s.name) if s.name in found.of else None for s in SESSIONS
        ],
        "ours, positions": [found.total(s.name) if s.name in found.of else None for s in SESSIONS],
    }
    return Figure(
        "a-totals", "All totals", chart.finish(), "", "Whiskers: lowest and highest seed.", data
    )


def _persons(bench: Bench, found: Grades) -> Iterator[Block]:
    """Show how marks in games depend on who the opponent is."""
    yield Words(
        "Marks in games depend on the opponent, too: on what it attacks, and on what it leaves to "
        "be taken. The first below is the one of all tables above; slips are random moves, 15% of "
        "the opponent's."
    )
    whom: list[tuple[str, str, int | None]] = [("untrained", found.sessions[0].name, 0)]
    for series in (False, True):
        name, _ = found.best(series, played=True)
        whom.append((f"{'series' if series else 'NEAT'}, session {name}", name, None))
    rows: list[tuple[Cell, ...]] = []
    for person in PERSONS:
        for title, name, generation in whom:
            session = NAMED[name]
            marks = [
                found.marked(run, generation, person) for run in bench.runs(session.experiment)
            ]
            parts = [round(part, 1) for part in _medians([each.points for each in marks])]
            cases = ", ".join(f"{middle([m.cases[i] for m in marks]):.0f}" for i in range(4))
            total = with_range([each.total for each in marks], ".1f")
            rows.append((person.title, title, *parts, total, cases))
    columns = ("opponent", "who", *(part.upper() for part in PARTS), "TOT",
               "cases of SK, MK, SP, MP")  # fmt: skip
    note = f"{GAMES} games each, unaided, depth 1; medians over seeds."
    yield Table("a-persons", "Marks by opponent", columns, rows, "", note)


CASES = (5, 10, 20, 300)  # of each kind
TRIED = (1, 3)  # networks of a session that were looked at


def _luck(found: Grades) -> Iterator[Block]:
    """Show what the paper's way of marking would read, were its networks ours."""
    yield Words(
        "The paper's marks are whole points, “approximate”, “based on how often a network reflects "
        "the individual parameter during a series of games played against a human opponent”; how "
        "many games, it does not say. From each session “the networks that achieved the highest "
        "scores in the last series of tournaments” were looked at, and the paper's claim is about "
        "the best of 26 NEAT sessions and of 8 series. So luck is part of it, and how much can be "
        "computed: below, such tables are drawn again and again, every row one of our last "
        f"champions, who earns a case of each kind as often as in its {GAMES} games."
    )
    chart = Chart(
        "The best TOT of a table, if its networks were ours",
        Axis.named("cases of each kind", [f"{cases}" for cases in CASES]), Axis("TOT", 0, 30),
        760, 360,
    )  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    for series, place, colour in ((False, -0.2, COLOURS[0]), (True, 0.2, COLOURS[1])):
        sessions = [s for s in SESSIONS if s.is_series == series]
        names = [s.name for s in sessions if s.name in found.of]
        if not names:
            continue
        wanted = max(s.total for s in sessions)
        kind = f"{'series' if series else 'NEAT'}, best of {len(sessions)}"
        shares = np.array([each.points for name in names for each in found.played[name]]) / POINTS
        shares = shares[~np.isnan(shares).any(1)]
        paper = np.array([s.total for s in sessions])
        for tried in TRIED:
            for at, cases in enumerate(CASES):
                marks = drawn_tables(
                    shares, np.array(POINTS), len(sessions), cases, tried=tried, wanted=wanted
                )
                rows.append(_luck_row(kind, cases, tried, marks))
                if tried == 1:
                    chart.bar(at + place, 0, marks.best, colour, 0.36, "" if at else kind)
                    chart.whisker(at + place, marks.low, marks.high)
        rows.append((f"{kind}: the paper's", None, None, round(float(paper.mean()), 1),
                     round(float(paper.std(ddof=1)), 1), wanted, None))  # fmt: skip
        chart.level(wanted, f"the paper's best {'series' if series else 'NEAT session'}: {wanted}")
    columns = ("table", "cases of each kind", "networks tried a session", "mean TOT",
               "deviation of TOT", "best TOT (95%)", "tables that reach the paper's")  # fmt: skip
    note = "Each case is won or lost, whatever the value at stake; cases of one game, which are "
    note += "alike, would make luck larger."
    data: dict[str, list[Any]] = {name: [row[i] for row in rows] for i, name in enumerate(columns)}
    told = "The best of the NEAT sessions has 18, the best of the series 22 (figures 35, 48)."
    yield Figure("a-luck", "The best of a table", chart.finish(), told,
                 "Bars: mean over 4,000 tables; whiskers: 95% of them. One network a session.",
                 data)  # fmt: skip
    yield Table("a-luck-table", "Tables of marks, drawn", columns, rows, told, note)


DEPTHS = (1, 2, 3)


def _depths(bench: Bench, found: Grades) -> Iterator[Block]:
    """Show what grades become if the person had let the networks look further."""
    yield Words(
        "Sessions are trained at depth 1. The paper does not say at which depth they were marked, "
        "and PlayVsAI “allows the selection of both the game color and the depth”. A player that "
        "looks two plies ahead sees its king being taken and only needs to know that this is bad. "
        "All unaided, medians over seeds."
    )
    first = found.sessions[0]
    best = [(found.best(series)[0], series) for series in (False, True)]
    whom: list[tuple[str, Session, bool, tuple[int, ...]]] = [
        ("untrained", first, False, UNTRAINED)
    ]
    for name, series in best:
        session = NAMED[name]
        paper = max((s for s in SESSIONS if s.is_series == series),
                    key=lambda s: s.total)  # fmt: skip
        whom.append((f"{'series' if series else 'NEAT'}, session {name}", session, True,
                     paper.grades))  # fmt: skip
    rows: list[tuple[Cell, ...]] = []
    nearest: list[str] = []
    for title, session, trained, paper_grades in whom:
        away: dict[int, float] = {}
        for depth in DEPTHS:
            got = [_at_depth(bench, run, depth, trained) for run in bench.runs(session.experiment)]
            middles = [round(part, 1) for part in _medians(got)]
            total = with_range([sum(each) for each in got], ".1f")
            rows.append((title, depth, *middles, total))
            away[depth] = sum(abs(a - b) for a, b in zip(middles, paper_grades, strict=True))
        nearest.append(f"{title}: {min(DEPTHS, key=away.__getitem__)}")
        title = "the paper's untrained network" if not trained else "the paper's best of these"
        rows.append((title, None, *paper_grades, f"{sum(paper_grades)}"))
    columns = ("who", "depth", *(part.upper() for part in PARTS), "TOT")
    note = f"The depth whose four grades lie nearest to the paper's: {'; '.join(nearest)}."
    yield Table("a-depths", "Grades by depth", columns, rows, "", note)


def _at_depth(bench: Bench, run: Reader, depth: int, trained: bool) -> list[float]:
    """Return the unaided grades of a run's last champion, or its first, at a depth."""
    text = f"{champion_text(run, None if trained else 0)},depth={depth}"

    def graded() -> list[float]:
        grade = grade_for(load_game(GAME))
        found = grade.of_player(make_player(text, grade.game))
        return [part.points for part in found.unaided]

    found: list[float] = bench.measure("depth", text, graded)
    return found


def _luck_row(kind: str, cases: int, tried: int, marks: Marks) -> tuple[Cell, ...]:
    best = f"{marks.best:.1f} ({marks.low:.0f} … {marks.high:.0f})"
    mean, deviation = round(marks.mean, 1), round(marks.deviation, 1)
    return kind, cases, tried, mean, deviation, best, f"{marks.reached:.0%}"


def _curves(bench: Bench) -> Iterator[Block]:
    lines = {
        "NEAT, power 0.2 (1)": "kingcapture-neat-01",
        "NEAT, power 0.8 (3)": "kingcapture-neat-03",
        "NEAT, many links (9)": "kingcapture-neat-09",
        "NEAT, session 16": "kingcapture-neat-16",
        "series TT 1": "kingcapture-series-tt1",
        "series TT 4": "kingcapture-series-tt4",
    }
    numbers = (
        ("grade_unaided", "Unaided grade, 0 to 30"),
        ("elo random", "Elo against random moves"),
        ("species", "Species"),
        ("nodes_mean", "Hidden nodes, mean"),
        ("links_mean", "Links, mean"),
    )
    for key, title in numbers:
        found = {label: number(bench.runs(name), key) for label, name in lines.items()}
        name = f"a-curve-{key.replace(' ', '-')}"
        yield figure_of(name, title, found, title, across="tournament", size=(1000, 320))


def split_links(network: GraphNetwork) -> tuple[GraphNetwork, GraphNetwork]:
    """Return a network with the links from inputs straight to outputs alone, and with the rest."""
    data = network.to_json()
    parts = []
    for direct in (True, False):
        nodes = []
        for place, node in enumerate(data["nodes"]):
            is_output = place in data["outputs"]
            kept = [
                link for link in node["links"]
                if (is_output and link[0] < data["inputs"]) == direct
            ]  # fmt: skip
            nodes.append({**node, "links": kept})
        parts.append(graph.from_json({**data, "nodes": nodes}))
    return parts[0], parts[1]


def _networks(bench: Bench, found: Grades) -> Iterator[Block]:
    told = "Figures 31, 33, 39, 43, 46, 50, drawn as below figure 24: “The direct connections "
    told += "between the inputs and outputs are depicted in a separate graph … the weaker the "
    told += "connection, the more transparent it appears”."
    for series in (False, True):
        name, total = found.best(series)
        session = NAMED[name]
        player = _network(bench, session)
        assert isinstance(player.network, GraphNetwork)
        direct, rest = split_links(player.network)
        for part, what in ((direct, "direct links"), (rest, "all other links")):
            picture = draw_network(part, player.game, player.encoder, player.outputs)
            slug = f"a-network-{session.experiment}-{'direct' if part is direct else 'rest'}"
            title = f"The best of session {name} (TOT {total:.1f}): {what}"
            yield Figure(slug, title, picture, told)


def _network(bench: Bench, session: Session) -> PlayerNetwork:
    return find_network(champion_text(bench.runs(session.experiment)[0]), load_game(GAME))


class Position(NamedTuple):
    """A position, the move chosen in it, and what that move is worth, 0 to 1."""

    state: Array
    move: int
    worth: float


def chosen_moves(game: Game, text: str, tests: TestSet, kind: int, count: int) -> list[Position]:
    """Return what a player does in the first positions of a kind."""
    found = []
    with borrowed_player(text, game) as player:
        for place in np.flatnonzero(tests.kinds == kind)[:count].tolist():
            move = player.think(History.of(game, tests.states[place]), 1).move
            worth = float(tests.worth[place][tests.moves[place] == move].sum())
            found.append(Position(tests.states[place], int(move), worth))
    return found


def _positions(bench: Bench, found: Grades) -> Iterator[Block]:
    name = max(found.of, key=found.total)
    session = NAMED[name]
    game = load_game(GAME)
    text, tests = champion_text(bench.runs(session.experiment)[0]), load_positions(game)
    wanted = (
        ("SK", True, "its king is attacked, and it saves it", "Figure 37: “After the white rook "
         "threatened to capture the king, the black rook defends it”."),
        ("SK", False, "its king is attacked, and it lets it be taken", "Figures 25, 32, 45: “it "
         "decides to move the king to sq. 21, where it's taken from the black pawn”."),
        ("MK", True, "it takes the king", "Figure 30: “The AI takes the king and wins the game”."),
        ("MK", False, "it could take the king and does not", "MK is 5 to 10 of 10."),
        ("SP", False, "it gives a piece away", "Figures 38, 42, 45: “While the bishop is "
         "threatened, it chooses to sacrifice it for a pawn instead of saving it”."),
        ("MP", True, "it takes the most valuable piece", "Figure 29: “the AI has chosen to take "
         "the bishop instead of the pawn”."),
    )  # fmt: skip
    yield Words(f"All by the last champion of session {name}, seed 1; the arrow is its move.")
    for kind, good, what, told in wanted:
        tried = chosen_moves(game, text, tests, KINDS.index(kind), 120)
        fitting = [p for p in tried if (p.worth >= 0.999 if good else p.worth <= 0.001)]
        if not fitting:
            yield Words(f"{kind}: none of {len(tried)} positions in which {what}.")
            continue
        shown = fitting[0]
        side = game.sides[game.side(shown.state)]
        picture = draw_board(game, shown.state, move=shown.move, pixels=300)
        slug = f"a-position-{kind.lower()}-{'good' if good else 'bad'}"
        note = f"{side} to move; {len(fitting)} of {len(tried)} positions of this kind are like it."
        yield Figure(slug, f"{kind}: {what}", picture, told, note)
    worth = piece_worth(_network(bench, session), tests)
    rows = (tuple(round(worth[piece], 3) for piece in (PAWN, KNIGHT, BISHOP, ROOK)),)
    yield Table(
        "a-pieces", "What a piece is worth to the network", ("pawn", "knight", "bishop", "rook"),
        rows, "“knights seem to be worth very little, perhaps because their optimal use is quite "
        "complex”.", "How far the network's value (−1 to 1) falls for White, on average over the "
        "graded positions, when one white piece of the kind is taken off.",
    )  # fmt: skip


LOOKED_AT = 200  # positions, about


def piece_worth(player: PlayerNetwork, tests: TestSet) -> dict[int, float]:
    """Return how much a network's value for White changes with a white piece, by piece."""
    game = player.game
    found: dict[int, list[float]] = {piece: [] for piece in (PAWN, KNIGHT, BISHOP, ROOK)}
    for state in tests.states[:: max(1, len(tests.states) // LOOKED_AT)]:
        whole = _for_white(player, game, state)
        for piece, values in found.items():
            places = np.flatnonzero(state[:36] == piece)
            if len(places):
                without = state.copy()
                without[places[0]] = 0
                values.append(whole - _for_white(player, game, without))
    return {piece: float(np.mean(values)) if values else np.nan for piece, values in found.items()}


def _for_white(player: PlayerNetwork, game: Game, state: Array) -> float:
    value = player.look(state).value
    return value if game.side(state) == 0 else -value


def _deep_match(bench: Bench) -> tuple[Games, Games]:
    text = f"run:{bench.names(_deep_trial(bench))[0]}@best"
    games = bench.scale.pick(40, 200)
    deep = f"{text},depth=4"
    own = match(bench, "deep-own", GAME, deep, text, games)
    return own, match(bench, "deep-material", GAME, deep, "material:depth=1", games)


SHORT_SERIES = "kingcapture-series-tt1"  # the settings of TT 8, shorter


def _deep_trial(bench: Bench) -> str:
    return "kingcapture-series-tt8" if bench.has("kingcapture-series-tt8") else SHORT_SERIES


def _deeper(bench: Bench) -> Iterator[Block]:
    own, material = _deep_match(bench)
    rows = (
        ("itself at depth 1", own.words()),
        ("counting pieces at depth 1", material.words()),
    )
    told = "“The outcome was an AI capable of playing adequately, and effectively recognizing some "
    told += "of the best available combinations”."
    which = "TT 8" if bench.has("kingcapture-series-tt8") else "TT 1 (TT 8 is the same, longer)"
    yield Table("a-49", f"The champion of {which} at depth 4", ("against", "result"), rows, told)


def _beyond(bench: Bench, found: Grades) -> tuple[Block, ...]:
    rows: list[tuple[Cell, ...]] = []
    for trial in OURS:
        graded = [
            [row.numbers for row in run.rows() if "grade" in row.numbers][-1]
            for run in bench.runs(trial)
        ]
        unaided = [float(n.get("grade_unaided", np.nan)) for n in graded]
        depth = int(graded[0].get("depth", 1))
        games = [found.marked(run).total for run in bench.runs(trial)]
        rows.append((trial, depth, with_range(games, ".1f"), with_range(unaided, ".1f"),
                     with_range([float(n["grade"]) for n in graded], ".1f")))  # fmt: skip
    name, total = found.best(series=True, played=True)
    rows.append((f"the best series here, {name}", 1, f"{total:.1f}", f"{found.total(name):.1f}",
                 None))  # fmt: skip
    rows.append(("the paper's best, TT 4", 1, "22", None, None))
    columns = ("trial", "depth", "TOT in games, unaided", "TOT in positions, unaided",
               "TOT in positions, knowing that taking the king wins")  # fmt: skip
    grades = Table("a-beyond-grades", "Grades", columns, rows)
    count = bench.scale.pick(40, 200)
    paper = ["kingcapture-neat-16", "kingcapture-series-tt4"]
    return grades, beyond(bench, GAME, paper, list(OURS), count)


def _claims(bench: Bench, found: Grades) -> Iterator[Claim]:
    untrained = _medians(found.untrained)
    played = _medians([each.points for each in found.untrained_played])
    yield claim(
        "An untrained network plays at random: TOT 7.", "figure 26",
        abs(sum(played) - sum(UNTRAINED)) <= NEAR,
        f"{sum(played):.1f} in games, {sum(untrained):.1f} in positions, unaided; random moves "
        f"{sum(found.random):.1f} in positions (counted as reproduced within {NEAR}, in games)",
    )  # fmt: skip
    yield claim(
        "An untrained network has SK 0, MK 6, SP 0 and MP 1.",
        "figure 26", parts_agree(played),
        f"{' / '.join(f'{value:.1f}' for value in played)} in games (counted as reproduced within "
        f"{NEAR_PARTS} of 10, {NEAR_PARTS / 2:g} of 5)",
    )  # fmt: skip
    quick = bench.scale.pick(" (after a few tournaments)", "")
    learned = most(
        [sum(each) > sum(untrained) for s in found.sessions for each in found.of[s.name]]
    )
    long = found.have([s.name for s in found.sessions])
    yield claim(
        "Networks learn the basics of the game.", "5.2", settled(learned, long),
        f"TOT of the last champions: median {middle([found.total(n) for n in found.of]):.1f}, best "
        f"{max(found.total(n) for n in found.of):.1f}{quick}",
    )  # fmt: skip
    for text, series, wanted, place in (
        ("The best of the NEAT sessions has TOT 18.", False, 18, "figures 28, 35, 41"),
        ("The best of the series has TOT 22.", True, 22, "figure 48"),
    ):
        name, total = found.best(series, played=True)
        fixed, fixed_total = found.best(series)
        holds = total >= wanted
        told = f"in games, as the paper marks: {total:.1f}, session {name}; in fixed positions: "
        told += f"{fixed_total:.1f}, session {fixed}; medians over seeds{quick}"
        yield claim(text, place, settled(holds, found.have([name])), told)
    yield _compared(
        found, "A lower mutation power is better (0.2 before 0.5 before 0.8).", "5.2, figure 28",
        [("power 0.2", ("1", "4", "7")), ("0.5", ("2", "5", "8")), ("0.8", ("3", "6", "9"))],
    )  # fmt: skip
    yield _compared(
        found,
        "A high rate of added connections is worse.",
        "5.2, figure 35",
        [("rate 0.1", ("10", "13", "16")), ("0.9", ("12", "15", "18"))],
    )
    yield _compared(
        found,
        "Grades decline from 2,000 to 4,000 tournaments.",
        "5.2, figure 44",
        [("2,000", ("28", "29", "30", "31")), ("4,000", ("34", "35", "36", "37"))],
        whole=True,  # a quarter of 4,000 tournaments is fewer than 2,000
    )
    yield _compared(
        found, "The tournament series beats NEAT.", "6, figure 48",
        [("TT 1–7", tuple(f"TT {i}" for i in range(1, 8))),
         ("NEAT 1–18", tuple(f"{i}" for i in range(1, 19)))],
    )  # fmt: skip
    own, material = _deep_match(bench)
    yield claim(
        "A series' network plays adequately at depth 4.",
        "6, figure 49",
        own.low > 0 and material.low > 0 if bench.long(_deep_trial(bench)) else None,
        f"against itself at depth 1: {own.words()}; against counting pieces at depth 1: "
        f"{material.words()} (counted as adequate: clearly better than both)"
        f"{quick}",
    )


def parts_agree(grades: Sequence[float]) -> bool:
    """Tell whether SK, MK, SP and MP each lie near those of the paper's untrained network."""
    near = (NEAR_PARTS, NEAR_PARTS, NEAR_PARTS / 2, NEAR_PARTS / 2)
    return all(abs(a - b) <= n for a, b, n in zip(grades, UNTRAINED, near, strict=True))


def _compared(
    found: Grades,
    text: str,
    place: str,
    groups: Sequence[tuple[str, Sequence[str]]],
    whole: bool = False,
) -> Claim:
    """Return the claim that mean totals fall from group to group, for most seeds."""
    means = [found.means([n for n in names if n in found.of]) for _, names in groups]
    holds = None
    if all(found.have(names, whole) for _, names in groups):
        holds = most([all(a > b for a, b in pairwise(seed)) for seed in zip(*means, strict=True)])
    ours = [with_range(each, ".1f") for each in means]
    told = ", ".join(f"{label}: {mean}" for (label, _), mean in zip(groups, ours, strict=True))
    theirs = ", ".join(f"{np.mean([NAMED[n].total for n in names]):.1f}" for _, names in groups)
    short = "" if holds is not None else "; too few tournaments to tell"
    return claim(text, place, holds, f"mean TOT {told} (the paper's: {theirs}){short}")


PAPER = ChessLike()
