"""Paper C: chess by ten features, a small network and morphological crossover."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from evoboard.core.arrays import Array
from evoboard.encoders.chess_features import NAMES, SPREAD
from evoboard.games.base import load_game
from evoboard.papers.base import Claim, Findings, Paper, Trial, claim, most, settled
from evoboard.papers.bench import Bench
from evoboard.papers.series import Spread, figure_of, number, with_range
from evoboard.papers.strength import Games, beyond, match
from evoboard.pictures.board import draw_board
from evoboard.pictures.chart import Axis, Chart
from evoboard.pictures.report import Block, Cell, Figure, Section, Table, Words
from evoboard.players.network import find_network
from evoboard.runs.report import curves
from evoboard.store.reader import Reader

TRIAL, LARGE, OURS = "chess-morphological", "population-480", "chess-learn"
PAPER_GAMES = 2_450 + 999 * 194  # 50 networks meet once; then two children meet everybody
RIVAL = "chess-linear"  # evolved as the paper's, without hidden nodes
SCORE = 956  # the mean score at the end, figure 4
TABLE_2 = {"White": (76, 14, 10), "Black": (60, 22, 18)}  # won, drawn, lost, per cent
# Figure 1's board is a picture; its values are these. Ours are of a position of our own.
FIGURE_1 = (0, 0, 0, -2, 1, -1, 0, 0, 2, 0)
SHOWN = "r1bqk2r/pppp1ppp/2n2n2/2b1p3/2B1P3/2NP1N2/PPP2PPP/R1BQK2R b KQkq - 0 5"
OPPONENT, COUNTING = "linear", "material"
CAPTURES = 4  # plies of quiescence, with which ours are trained


class NeuralChess(Paper):
    """Neural networks evolutionary learning in chess game."""

    letter, game = "C", "chess"
    author = "Alberto Carrascal, Daniel Manrique, Juan Ríos and Claudio Rossi"
    title = "Neural Networks Evolutionary Learning in Chess Game"
    kind = (
        "Artificial Intelligence Department, Facultad de Informática, Univ. Politécnica de Madrid"
    )
    year = "undated; its latest reference is from December 2001"
    slips = (
        "The population's size is not given. A mean score of 956 needs at least 479 individuals, "
        "the best of whom would win everything; half of all points are 956 with 957 of them.",
        "Table 1 uses k for both knights and kings; its bishop pair is −1 for “two black opposite "
        "bishops and two white opposite bishops”, which a line above has 0.",
    )

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The paper's run, a population as large as its scores imply, and ours."""
        few = ("measure.games=10", "measure.every=20")
        return (
            Trial(TRIAL, 70, 0.4, few, quick_seconds=0.3),
            Trial(TRIAL, 70, 4.5, changes=("strategy.population=480",), key=LARGE, only="full"),
            Trial(RIVAL, 70, 0.3, only="full"),
            Trial(OURS, 5, 6.0, ("measure.games=10", "measure.every=4"),
                  (f"stop.games={PAPER_GAMES}",), quick_seconds=5.0),
        )  # fmt: skip

    def report(self, bench: Bench) -> Findings:
        """Return figure 4, tables 1 and 2, and what our own settings make of the game."""
        met = {
            trial: _against_linear(bench, trial)
            for trial in (TRIAL, LARGE, OURS)
            if bench.has(trial)
        }
        sections = (
            Section("Figure 4: score of the best players", tuple(_scores(bench))),
            Section("Table 2: against an evolved linear evaluator", tuple(_table_2(bench, met))),
            Section("Figure 1 and table 1: the ten features", tuple(_features(bench))),
            Section("Beyond the paper", _beyond(bench)),
        )
        return Findings(tuple(_claims(bench, met[TRIAL])), sections)


def shares(run: Reader) -> tuple[Array, Array]:
    """Return the generations, and the best score as a share of all points, 2 (N - 1)."""
    found = curves(run, ("best",))
    most_points = 2 * (int(run.facts()["experiment"]["strategy"]["population"]) - 1)
    return found.generations, found.values["best"] / most_points


def _scores(bench: Bench) -> Iterator[Block]:
    told = (
        "Score of the best player over 1,000 iterations. “It can be seen how the score is getting "
        "high … When the genetic algorithm is converging, all the individuals of the population "
        "have very similar and high play level. In these conditions, the score stables, being "
        "956 the mean value”."
    )
    for trial in (TRIAL, LARGE):
        if not bench.has(trial):
            continue
        runs = bench.runs(trial)
        size = int(runs[0].facts()["experiment"]["strategy"]["population"])
        most_points, best = 2 * (size - 1), number(runs, "best")

        def paper_level(chart: Chart) -> None:
            if chart.y.high >= SCORE:
                chart.level(SCORE, "the paper: 956")

        yield figure_of(
            f"c-4-{trial}", f"Figure 4, {size} individuals",
            {"best": best, "mean of the population": number(runs, "mean")},
            Axis("score", 0, most_points), across="iteration", paper=told, add=paper_level,
        )  # fmt: skip
        yield figure_of(
            f"c-4-{trial}-share", "The same as a share of all points",
            {"best": Spread(best.generations, *(column / most_points for column in best[1:]))},
            Axis("share of 2 (N − 1)", 0, 1, (), ".0%"), across="iteration",
            paper="The population's size is not given; with 479, 956 are 100% of the points, "
            "with 957 half of them.",
            add=lambda chart: chart.level(0.5, "half of all points: 956 with 957 individuals"),
        )  # fmt: skip
        yield figure_of(
            f"c-spread-{trial}", "Spread of the scores",
            {"standard deviation": number(runs, "spread")}, "standard deviation of scores",
            across="iteration",
            paper="“all the individuals of the population have very similar … play level”.",
        )  # fmt: skip


def _depth(bench: Bench) -> int:
    return int(bench.trial(TRIAL).settings(bench.scale).search.at(0)["depth"])


def _against_linear(bench: Bench, trial: str) -> list[Games]:
    """Return every seed's best player against the linear one, as deep, 50 games per colour."""
    depth = _depth(bench)
    as_deep = f",depth={depth},quiescence=0" if trial == OURS else ""
    other = f"{OPPONENT}:depth={depth}"
    return [
        match(bench, "linear", "chess", f"run:{name}@best{as_deep}", other, 100)
        for name in bench.names(trial)
    ]


def _ours_by_colour(bench: Bench) -> Table:
    """Return ours against the linear one by colour, without and with captures to their end."""
    depth = _depth(bench)
    players = {"champion": ["champion:"]}
    if bench.has(OURS):
        players = {OURS: [f"run:{name}@best," for name in bench.names(OURS)], **players}
    rows: list[tuple[Cell, ...]] = []
    for title, texts in players.items():
        for how, captures in (("the paper's search", 0), ("captures to their end", CAPTURES)):
            search = f"depth={depth},quiescence={captures}"
            other = f"{OPPONENT}:{search if captures else f'depth={depth}'}"
            games = [match(bench, "linear", "chess", text + search, other, 100) for text in texts]
            found = colour_shares(games).values()  # White's, then Black's
            cells = [with_range([f[i] for f in each], ".0f") for each in found for i in range(3)]
            rows.append((title, how, *(f"{cell}%" for cell in cells)))
    columns = ("ours", "both search", *(f"{colour}: {result}" for colour in TABLE_2
                                        for result in ("win", "draw", "lose")))  # fmt: skip
    (white, black), note = TABLE_2.values(), f"The paper's {depth} plies, without quiescence; and "
    note += f"as many, then captures, as ours are trained: both players alike. `{OPPONENT}` was "
    note += "evolved with the former. `champion` comes with evoboard. Median (range) of the seeds."
    return Table(
        "c-beyond-linear", f"Ours against {OPPONENT}, 50 games with each colour", columns, rows,
        f"Against AIChess: {white[0]}% won as White, {black[0]}% as Black.", note,
    )  # fmt: skip


def _against_counting(bench: Bench) -> list[Games]:
    """Return every seed's best player against counting pieces, as deep."""
    other = f"{COUNTING}:depth={_depth(bench)}"
    return [
        match(bench, "counting", "chess", f"run:{name}@best", other, 100)
        for name in bench.names(TRIAL)
    ]


def _against_rival(bench: Bench) -> list[Games]:
    """Return every seed's best player against that of the same evolution of linear evaluators."""
    return [
        match(bench, "rival", "chess", f"run:{one}@best", f"run:{other}@best", 100)
        for one, other in zip(bench.names(TRIAL), bench.names(RIVAL), strict=False)
    ]


def colour_shares(games: Sequence[Games]) -> dict[str, list[list[float]]]:
    """Return won, drawn and lost per cent of every match, by colour."""
    return {
        "White": [[100 * n / max(1, sum(each.first)) for n in each.first] for each in games],
        "Black": [[100 * n / max(1, sum(each.second)) for n in each.second] for each in games],
    }


def _table_2(bench: Bench, met: dict[str, list[Games]]) -> Iterator[Block]:
    told = "Against AIChess (Kendall and Whitwell), 50 games with each colour: 76 / 14 / 10% "
    told += "as White, 60 / 22 / 18% as Black."
    note = "Openings of random plies, each with both colours, since the players are deterministic. "
    note += "Median (range) of the seeds."
    alike = (
        f"The opponent is `linear` at the same depth, {_depth(bench)} plies without quiescence: "
    )
    alike += "an evolved linear evaluator of the same features, as AIChess itself is not available."
    for trial, games in met.items():
        title = f"Table 2, {trial}{' (ours)' if trial == OURS else ''}"
        yield _results(f"c-table-2-{trial}", title, games, told, f"{alike} {note}")
    alike = "The opponent is `material` at the same depth: pieces alone, with the values of books."
    title = f"Table 2, {TRIAL} against counting pieces"
    counted = _against_counting(bench)
    yield _results("c-table-2-counting", title, counted, told, f"{alike} {note}")
    if bench.has(RIVAL):
        alike = (
            f"The opponent is {RIVAL}'s best of the same seed: the same evolution, as long, of the "
        )
        alike += "same features without hidden nodes. So this shows what the network is worth."
        title = f"Table 2, {TRIAL} against {RIVAL}"
        yield _results("c-table-2-rival", title, _against_rival(bench), told, f"{alike} {note}")


def _results(name: str, title: str, games: Sequence[Games], told: str, note: str) -> Table:
    found = colour_shares(games)
    rows: list[tuple[Cell, ...]] = []
    for i, result in enumerate(("win", "draw", "lose")):
        row: list[Cell] = [result]
        for colour, theirs in TABLE_2.items():
            row += [f"{theirs[i]}%", f"{with_range([f[i] for f in found[colour]], '.0f')}%"]
        rows.append(tuple(row))
    columns = ("", "White: paper", "White: ours", "Black: paper", "Black: ours")
    return Table(name, title, columns, rows, told, note)


def _features(bench: Bench) -> Iterator[Block]:
    game = load_game("chess")
    state = game.parse_state(SHOWN)
    yield Figure(
        "c-1", "A position", draw_board(game, state, pixels=300), "Figure 1 shows a position, as a "
        "picture, with ten values.", SHOWN,
    )  # fmt: skip
    player = find_network(f"run:{bench.names(TRIAL)[0]}@best", game)
    inputs = player.look(state).slots[: len(NAMES)]
    rows = tuple(
        (name, float(theirs), round(float(value * spread), 2), round(float(value), 3))
        for name, theirs, value, spread in zip(NAMES, FIGURE_1, inputs, SPREAD, strict=True)
    )
    columns = ("feature", "paper's position", "this position", "as the network gets it")
    note = "White's minus Black's. The paper's values are of another position, which is a picture "
    note += "there; standardised: divided by the standard deviation."
    yield Table("c-table-1", "Table 1 for this position", columns, rows, note=note)


def _beyond(bench: Bench) -> tuple[Block, ...]:
    told = Words(
        "Ours learn in their lifetime from the whole population's games, see pieces and threats, "
        "and follow captures, with no more games than the paper's run. Each player has its own "
        "search, so the matches between them are not at equal search. Games of the paper's run "
        "count again in every iteration; those between networks that stay are not played again, so "
        f"that {PAPER_GAMES:,} of 1,000 iterations' are."
    )
    games = bench.scale.pick(20, 100)
    return told, beyond(bench, "chess", [TRIAL], [OURS], games), _ours_by_colour(bench)


def _claims(bench: Bench, met: Sequence[Games]) -> Iterator[Claim]:
    done, whole = bench.reached(TRIAL)
    found = [shares(run)[1] for run in bench.runs(TRIAL)]
    fifth = max(1, len(found[0]) // 5)
    gains = [float(values[-fifth:].mean() - values[:fifth].mean()) for values in found]
    told = f"share of the points, last fifth minus first: {with_range(gains, '+.3f')}"
    long = bench.long(TRIAL)
    yield claim(
        "The score of the best player rises.", "figure 4",
        most([gain > 0.02 for gain in gains]) if long else None,
        told + ("" if long else f" after {done} of {whole:,} iterations"),
    )  # fmt: skip
    spreads = [curves(run, ("spread",)).values["spread"] for run in bench.runs(TRIAL)]
    # Not as a part of the first fifth's: it may be over by then.
    start = max(1, len(found[0]) // 50)
    ratios = [float(s[-fifth:].mean() / max(1e-9, s[:start].mean())) for s in spreads]
    late = [float(v[-fifth:].mean() - v[-2 * fifth : -fifth].mean()) for v in found]
    stable = [ratio < 0.5 and abs(step) < 0.02 for ratio, step in zip(ratios, late, strict=True)]
    yield claim(
        "The population converges: all play at a very similar level, and the score stabilises.",
        "section 4", most(stable) if long else None,
        f"deviation of the scores, last fifth as a part of the first {start} iterations': "
        f"{with_range(ratios, '.2f')} (counted as similar: below 0.5); share of the best, "
        "last fifth minus the one before: "
        f"{with_range(late, '+.3f')} (counted as stable: within 0.02)",
    )  # fmt: skip
    by_colour, counting = colour_shares(met), colour_shares(_against_counting(bench))
    for colour, theirs in TABLE_2.items():
        won = [row[0] for row in by_colour[colour]]
        easy = [row[0] for row in counting[colour]]
        yield claim(
            f"Wins {theirs[0]}% against AIChess as {colour}.", "table 2",
            settled(most([value >= theirs[0] for value in won]), long),
            f"won {with_range(won, '.0f')}% of {met[0].games // 2} games against `linear`, "
            "which stands in for AIChess, at the same depth; against counting pieces "
            f"{with_range(easy, '.0f')}%",
        )  # fmt: skip
    better = [each.low > 0 for each in met]
    yield claim(
        "The system clearly outperforms AIChess.", "section 4",
        settled(most(better), long),
        f"against `linear`: {'; '.join(each.words() for each in met)}",
    )  # fmt: skip
    falls = [
        100 * (1 - black[0] / white[0])
        for white, black in zip(by_colour["White"], by_colour["Black"], strict=True)
        if white[0]
    ]
    yield claim(
        "It wins 21% less often with Black than with White.", "section 4",
        most([0 < fall <= 42 for fall in falls]) if long else None,
        f"{with_range(falls, '.0f')}% fewer wins with Black (counted as reproduced: up to 42%)"
        if falls else "no game won",
    )  # fmt: skip


PAPER = NeuralChess()
