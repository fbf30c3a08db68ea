"""Paper D: NEAT with self-play on a hex board, told to be aggressive or defensive."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from evoboard.arena.contest import Terms, play_contest
from evoboard.core.arrays import Array, evenly_spread
from evoboard.core.statistics import wilson
from evoboard.games.base import DrawRules, Game, load_game
from evoboard.games.hexwar import CELLS, split_move
from evoboard.games.history import History
from evoboard.papers.base import Claim, Findings, Paper, Trial, claim, most, settled
from evoboard.papers.bench import Bench, game_of
from evoboard.papers.series import figure_of, middle, number, seconds_each, with_range
from evoboard.papers.strength import beyond
from evoboard.pictures.board import draw_board
from evoboard.pictures.chart import COLOURS, Axis, Chart
from evoboard.pictures.report import Block, Cell, Figure, Section, Table, Words
from evoboard.pictures.svg import Picture
from evoboard.runs.report import curves, linear_trend
from evoboard.store.games import GameFilter
from evoboard.store.reader import Reader
from evoboard.store.records import GameRecord

BOARDS = ("hexwar", "hexwar:layout=rhombus")
SCRIPTS = ("scripted:rusher", "scripted:turtle", "scripted:builder")
LONGEST = 150  # plies of a game against a person
GAMES = 50
CENTRE = np.array([2.0, 2.0])
OURS = "hexwar-learn"
PAPER_GAMES = 200_000  # of 100 generations: 200 genomes, 5 opponents, both colours
PAPER_SECONDS = 6.4 * 60
INPUTS_AND_OUTPUT = 26  # which the paper's counts of nodes include
STRIP, OPENING = 8, 24  # boards of a strip, and the plies that they are taken from
BLOCKS = 10  # plies that styles are told by
TURN = 66  # the generation at which the curve of figure 10 turns


class StyleTrial(NamedTuple):
    """An experiment of the paper: what its champion and its curves were."""

    name: str
    trial: str
    fitness: float
    nodes: int
    links: int
    human: tuple[int, int]  # won, drawn, per cent of 50 games
    band: tuple[float, float]  # of the average adjusted species fitness
    figures: tuple[int, int]
    words: str
    strip: str
    section: str


STYLES = (
    StyleTrial(
        "aggressive", "hexwar-aggressive", 76.0, 32, 28, (6, 28), (0.3, 0.5), (10, 11),
        "“During the first 66 generations, the average adjusted species fitness … mostly remained "
        "in the range of 0.3 to 0.5 … From generation 66 onwards, a slight upward trend appeared”.",
        "Figure 9: “the model responds by moving in a straight line before converging towards the "
        "centre, resulting in self-annihilation”.", "4.1",
    ),
    StyleTrial(
        "defensive", "hexwar-defensive", 146.0, 26, 25, (0, 68), (0.6, 0.75), (13, 14),
        "“here the average adjusted species fitness … remained in the range of 0.6 to 0.75”.",
        "Figure 12: “The human opponent rushes to the top right corner of the map, while the model "
        "responds by rushing to the bottom left corner”.", "4.2",
    ),
)  # fmt: skip


# What the text leaves open, as the published code has it; the best fitness of the models there.
CODE = {
    "aggressive": ("hexwar-aggressive-code", 76.0),
    "defensive": ("hexwar-defensive-code", 90.0),
}
CODE_WORDS = (
    "What the text leaves open follows the authors' published code here: depth 3, 20 plies, at "
    "least 5 opponents with one game of a random colour each, 10 pieces at the start, the board "
    "rotated for Red, an output without activation. The defensive model published with it has "
    "a best fitness of 90, not 146."
)


class HexNeat(Paper):
    """Applications of the NEAT algorithm in deterministic game environments."""

    letter, author, year, game = "D", "John Kechagias", "19 June 2024", "hexwar"
    title = "Applications of The NEAT Algorithm in Deterministic Game Environments"
    kind = "Department of Informatics, University of Piraeus; supervised by Dionisios Sotiropoulos"
    slips = (
        "Its counts of nodes include 25 inputs and an output: 26 nodes are none hidden.",
        "The board is called hexadecimal; its tiles are hexagons.",
        "Games against people end after 150 moves; how long training games last is not said.",
    )

    @property
    def trials(self) -> tuple[Trial, ...]:
        """Both experiments, then ours."""
        return (
            Trial("hexwar-aggressive", 40, 0.6),
            Trial("hexwar-defensive", 40, 0.5),
            *(Trial(trial, 10, 7.2, only="full") for trial, _ in CODE.values()),
            Trial(OURS, 12, 1.5, ("measure.games=20",), changes=(f"stop.games={PAPER_GAMES}",)),
        )

    def report(self, bench: Bench) -> Findings:
        """Return figures 10 to 14, the champions, their games against scripts, and their style."""
        sections, claims = [], list[Claim]()
        for style in STYLES:
            runs = bench.runs(style.trial)
            game = game_of(runs[0])
            games = [_games(bench, f"run:{run.name}@best", game) for run in runs]
            random = leaning(game, _games(bench, "random", game))
            title = f"Experiment: {style.name}"
            blocks = [*_training(bench, style, runs), *_play(style, runs, games)]
            sections.append(Section(title, tuple(blocks)))
            claims += _claims(bench, style, runs, games, random)
        for style in STYLES:
            trial, best = CODE[style.name]
            if bench.has(trial):
                own = style._replace(trial=trial, fitness=best)
                title = f"Experiment: {style.name}, as the authors' published code has it"
                blocks = [Words(CODE_WORDS), *_training(bench, own, bench.runs(trial), "-code")]
                sections.append(Section(title, tuple(blocks)))
        count = bench.scale.pick(20, 100)
        told = Words(
            "Ours meets a count of pieces and the three scripts, is judged by how games end, not "
            "by how it plays, and sees what an exchange of armies leaves; after at most "
            f"{PAPER_GAMES:,} games, which 100 generations of the paper are here."
        )
        table = beyond(bench, "hexwar", [s.trial for s in STYLES], [OURS], count)
        last = Section("Beyond the paper", (told, table, _champions(bench)))
        return Findings(tuple(claims), (*sections, last))


class ChampionGame(NamedTuple):
    """A game of a champion: against whom, which side, its moves, its result for the champion."""

    opponent: str
    side: int
    start: str
    moves: list[int]
    result: int
    reason: str


def _games(bench: Bench, text: str, game: Game) -> list[ChampionGame]:
    """Return fifty games of a player against each script, of 150 plies at most."""

    def play() -> list[Any]:
        found = []
        for script in SCRIPTS:
            terms = Terms(1, None, DrawRules(0, 0, LONGEST), bench.threads)
            contest = play_contest(game, [text, script], GAMES, terms)
            for i, record in enumerate(contest.records):
                side = int(contest.table.first[i] != 0)
                result = record.result if side == 0 else -record.result
                moves = [int(move) for move in record.moves]
                found.append([script, side, record.start, moves, result, record.reason])
        return found

    data = bench.measure("scripts", f"{text} {game.options} {GAMES} {LONGEST}", play)
    return [ChampionGame(*each) for each in data]


def _training(
    bench: Bench, style: StyleTrial, runs: Sequence[Reader], more: str = ""
) -> Iterator[Block]:
    """Yield the curves of training and the champion; `more` tells files and titles apart."""
    (low, high), best = style.band, number(runs, "best")
    yield figure_of(
        f"d-{style.figures[0]}{more}", f"Figure {style.figures[0]}: {style.name}",
        {"ours": number(runs, "adjusted_mean")}, Axis("average adjusted species fitness", 0, 1),
        paper=style.words,
        add=lambda chart: chart.level(high, f"the paper: {low} to {high}", low=low),
    )  # fmt: skip
    told = "“the average fitness continued to incrementally grow, albeit in small steps”."
    yield figure_of(
        f"d-{style.figures[1]}{more}", f"Figure {style.figures[1]}: {style.name}",
        {"best": best, "mean": number(runs, "mean")},
        Axis.of("fitness of genomes", [*best.high, style.fitness], low=0),
        paper=told if style.name == "aggressive" else "Best and average fitness of the genomes.",
        add=lambda chart: chart.level(style.fitness, f"the paper's best: {style.fitness:g}"),
    )  # fmt: skip
    yield figure_of(
        f"d-species-{style.name}{more}", f"Species: {style.name}",
        {"species": number(runs, "species")}, "species",
    )  # fmt: skip
    yield _champion(bench, style, runs, more)


def champion_of(run: Reader) -> tuple[float, int, int]:
    """Return fitness, nodes (inputs and output too) and links of the fittest champion."""
    rows = run.rows()
    best = max(rows, key=lambda row: row.numbers["best"])
    nodes = int(best.numbers["champion_nodes"]) + INPUTS_AND_OUTPUT
    return float(best.numbers["best"]), nodes, int(best.numbers["champion_links"])


def _champion(bench: Bench, style: StyleTrial, runs: Sequence[Reader], more: str) -> Table:
    found = [champion_of(run) for run in runs]
    rows = (
        ("fitness of the best", style.fitness, with_range([f[0] for f in found], ".1f")),
        ("nodes, with inputs and output", style.nodes, with_range([f[1] for f in found], ".0f")),
        ("connections", style.links, with_range([f[2] for f in found], ".0f")),
        ("generations", 100, bench.reached(style.trial)[0]),
        ("seconds a generation", PAPER_SECONDS if style.name == "aggressive" else None,
         with_range(seconds_each(runs), ".2f")),
    )  # fmt: skip
    columns = ("", "paper", "ours")
    return Table(f"d-champion-{style.name}{more}", "The champion", columns, rows)


def _play(
    style: StyleTrial, runs: Sequence[Reader], games: Sequence[list[ChampionGame]]
) -> Iterator[Block]:
    rows: list[tuple[Cell, ...]] = []
    for script in SCRIPTS:
        own = [[p for p in each if p.opponent == script] for each in games]
        cells = [
            with_range([100 * float(np.mean([p.result == r for p in each])) for each in own], ".0f")
            for r in (1, 0, -1)
        ]
        rows.append((script, *(f"{cell}%" for cell in cells)))
    told = f"Against a person, 50 games of at most 150 moves: {style.human[0]}% won, "
    told += f"{style.human[1]}% drawn."
    yield Table(
        f"d-scripts-{style.name}", "Fifty games against each script, in place of a person",
        ("against", "won", "drawn", "lost"), rows, told,
        "150 plies at most, after random opening plies, both colours; median (range) of the seeds.",
    )  # fmt: skip
    everything = [p for each in games for p in each]
    reasons = Counter(p.reason for p in everything).most_common()
    rows = [(reason, round(100 * count / len(everything), 1)) for reason, count in reasons]
    yield Table(f"d-endings-{style.name}", "Why these games ended", ("reason", "per cent"),
                rows)  # fmt: skip
    game = game_of(runs[0])
    yield _style_chart(style, game, everything)
    shown = next((p for p in games[0] if p.opponent == SCRIPTS[0]), games[0][0])
    side = game.sides[shown.side]
    note = (
        f"{side} is the model, against {shown.opponent}; boards of the first {OPENING} plies at "
        "most, each with the move that comes next."
    )
    yield Figure(f"d-strip-{style.name}", "A game, move by move", strip(game, shown), style.strip,
                 note)  # fmt: skip


def _champions(bench: Bench) -> Table:
    """Return how the champion that comes with evoboard does against scripts, on either board."""
    rows: list[tuple[Cell, ...]] = []
    for name in BOARDS:
        game = load_game(name)
        for script in SCRIPTS:
            games = [p for p in _games(bench, "champion", game) if p.opponent == script]
            counts = [sum(p.result == result for p in games) for result in (1, 0, -1)]
            low, high = wilson(counts[0] / len(games), len(games))
            rows.append((name, script, *counts, f"{100 * low:.0f} … {100 * high:.0f}%"))
    columns = ("game", "against", "won", "drawn", "lost", "share won, 95% interval")
    return Table(
        "d-champion-scripts", "`champion`, which comes with evoboard, against the scripts",
        columns, rows, note="150 plies at most, after random opening plies, both colours.",
    )  # fmt: skip


class Move(NamedTuple):
    """A move of the champion: when, produced or not, steps towards the centre, captured or not."""

    ply: int
    produces: bool
    towards: float
    captures: bool


def moves_of(game: Game, played: ChampionGame) -> list[Move]:
    """Return the champion's moves of a game."""
    found = []
    for ply, (state, move) in enumerate(_history(game, played).steps):
        if game.side(state) == played.side:
            source, target, _ = split_move(move)
            enemy = state[target] < 0 if played.side == 0 else state[target] > 0
            towards = _distance(source) - _distance(target)
            found.append(Move(ply, source == target, towards, bool(enemy)))
    return found


def _history(game: Game, played: ChampionGame | GameRecord) -> History:
    return History.of(game, game.parse_state(played.start), played.moves)


class Leaning(NamedTuple):
    """What a player does: per cent of its moves that produce, tiles that others lead inwards."""

    produced: float
    towards: float  # of the first plies: all pieces start in a corner, and soon are nearer


def leaning(game: Game, games: Sequence[ChampionGame]) -> Leaning:
    """Return what a player does in its games."""
    made = [move for played in games for move in moves_of(game, played)]
    steps = [move.towards for move in made if not move.produces and move.ply < OPENING]
    produced = 100 * float(np.mean([move.produces for move in made])) if made else 0.0
    return Leaning(produced, float(np.mean(steps)) if steps else 0.0)


def adopted(style: str, own: Leaning, random: Leaning) -> bool:
    """Tell whether a player does what its fitness rewards, beyond what random moves do.

    From a corner, whoever moves comes nearer to the centre: so random moves are the measure.
    """
    if style == "aggressive":
        return own.towards > random.towards
    return own.produced >= max(50, random.produced) and own.towards < random.towards


def _distance(cell: int) -> float:
    return float(np.linalg.norm(np.array([cell % 5, cell // 5]) - CENTRE))


def _style_chart(style: StyleTrial, game: Game, games: Sequence[ChampionGame]) -> Figure:
    made = [move for played in games for move in moves_of(game, played)]
    blocks = range(0, LONGEST, BLOCKS)
    kinds: dict[str, Callable[[Move], bool]] = {
        "produces": lambda m: m.produces,
        "moves towards the centre": lambda m: not m.produces and m.towards > 0,
        "moves sideways or away": lambda m: not m.produces and m.towards <= 0,
        "captures": lambda m: m.captures,
    }
    chart = Chart(f"{style.name}: what the model does", Axis("ply", 0, LONGEST),
                  Axis("share of its moves", 0, 1, (), ".0%"), 760)  # fmt: skip
    data: dict[str, list[Any]] = {"ply": [b + BLOCKS / 2 for b in blocks]}
    for place, (kind, is_kind) in enumerate(kinds.items()):
        shares = []
        for first in blocks:
            own = [m for m in made if first <= m.ply < first + BLOCKS]
            shares.append(float(np.mean([is_kind(m) for m in own])) if len(own) >= 5 else np.nan)
        chart.line(data["ply"], shares, COLOURS[place], kind)
        data[kind] = shares
    return Figure(f"d-style-{style.name}", "Style by ply", chart.finish(), "",
                  f"All games against scripts; means over {BLOCKS} plies.", data)  # fmt: skip


def strip(game: Game, played: ChampionGame) -> Picture:
    """Return the boards of a game side by side, evenly spread, with the move that comes next."""
    states = _history(game, played).steps
    # Only the plies that show what a player is up to.
    picked = evenly_spread(min(len(states), OPENING), STRIP)
    parts, size = [], 230
    for place, number_ in enumerate(picked):
        here, move = states[number_]
        board = draw_board(game, here, move=move, pixels=size - 10).svg
        x, y = (place % 4) * size, (place // 4) * (size + 24)
        inner = board.replace("<svg ", f'<svg x="{x}" y="{y + 22}" ', 1)
        parts.append(
            f'<text x="{x + size / 2}" y="{y + 15}" font-size="13" text-anchor="middle" '
            f'fill="#6f6a62">ply {number_}</text>{inner}'
        )
    rows = (len(picked) + 3) // 4
    width, height = 4 * size, rows * (size + 24)
    return Picture(
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width} {height}" width="{width}" '
        f'height="{height}" role="img" font-family="DejaVu Sans, sans-serif">'
        f'<rect width="{width}" height="{height}" fill="#ffffff"></rect>{"".join(parts)}</svg>'
    )


def in_band(values: Array, band: tuple[float, float]) -> float:
    """Return the share of values within a band."""
    known = values[~np.isnan(values)]
    return float(((known >= band[0]) & (known <= band[1])).mean()) if len(known) else np.nan


def drawn_by_annihilation(run: Reader) -> float:
    """Return the share of the last recorded fitness games that leave no piece at all."""
    for generation in run.game_generations():
        kept = run.games(GameFilter(generation, "fitness"))
        if kept:
            ends = [_history(game_of(run), each.game.record).state for each in kept]
            return float(np.mean([not state[:CELLS].any() for state in ends]))
    return float("nan")


def _claims(
    bench: Bench, style: StyleTrial, runs: Sequence[Reader], games: Sequence[list[ChampionGame]],
    random: Leaning,
) -> Iterator[Claim]:  # fmt: skip
    yield from _strategy_claims(bench, style, runs, games, random)
    yield from _champion_claims(bench, style, runs)
    yield from _curve_claims(bench, style, runs)
    yield _human_claim(style, games)


def _length(bench: Bench, style: StyleTrial) -> tuple[bool, str]:
    """Tell whether an experiment was run at its full length; say so where it was not."""
    (done, whole), full = bench.reached(style.trial), bench.whole(style.trial)
    return full, "" if full else f" (after {done} of {whole} generations)"


def _strategy_claims(
    bench: Bench, style: StyleTrial, runs: Sequence[Reader], games: Sequence[list[ChampionGame]],
    random: Leaning,
) -> Iterator[Claim]:  # fmt: skip
    """Yield whether the best model plays as its fitness function wants it to."""
    game = game_of(runs[0])
    made = [leaning(game, each) for each in games]
    full, short = _length(bench, style)
    told = f"{with_range([m.produced for m in made], '.0f')}% of the moves produce (random moves: "
    told += f"{random.produced:.0f}%); a transfer in the first {OPENING} plies leads "
    told += f"{with_range([m.towards for m in made], '+.2f')} tiles towards the centre (random "
    told += f"moves: {random.towards:+.2f}), on average{short}"
    shown = most([adopted(style.name, each, random) for each in made])
    does = settled(shown, bench.long(style.trial))
    if style.name == "aggressive":
        yield claim(
            "Aggressive: the best model adopts the strategy: it heads for the centre.", "4.1",
            does, told,
        )  # fmt: skip
        empty = [drawn_by_annihilation(run) for run in runs]
        yield claim(
            "Aggressive: games between models commonly end in self-annihilation.", "4.1",
            most([share >= 0.25 for share in empty]) if full else None,
            f"{with_range([100 * share for share in empty], '.0f')}% of the last recorded games "
            f"of training leave no piece{short}",
        )  # fmt: skip
    else:
        yield claim(
            "Defensive: the best model adopts the strategy: it produces whenever it can and stays "
            "away from the centre.", "4.2", does, told,
        )  # fmt: skip
        turtle = [[p.result == 0 for p in each if p.opponent == SCRIPTS[1]] for each in games]
        drawn = [100 * float(np.mean(each)) for each in turtle]
        yield claim(
            "Defensive: facing a defensive player, the match always ends in a draw.", "4.2",
            most([share >= 99 for share in drawn]) if bench.long(style.trial) else None,
            f"{with_range(drawn, '.0f')}% drawn against scripted:turtle",
        )  # fmt: skip


def _champion_claims(bench: Bench, style: StyleTrial, runs: Sequence[Reader]) -> Iterator[Claim]:
    """Yield how fit and how large the best model is."""
    full, short = _length(bench, style)
    found = [champion_of(run) for run in runs]
    best = [f[0] for f in found]
    near = most([abs(value - style.fitness) <= 0.15 * style.fitness for value in best])
    yield claim(
        f"{style.name.capitalize()}: the best model has a fitness of {style.fitness:g}.",
        style.section, near if full else None,
        f"{with_range(best, '.1f')}{short} (counted as reproduced within 15%)",
    )  # fmt: skip
    compact = most([f[1] <= 1.5 * style.nodes and f[2] <= 1.5 * style.links for f in found])
    yield claim(
        f"{style.name.capitalize()}: the model is compact, with {style.nodes} nodes and "
        f"{style.links} connections.", style.section,
        settled(compact, full, for_good=False),  # all begin as small as that
        f"{with_range([f[1] for f in found], '.0f')} nodes, "
        f"{with_range([f[2] for f in found], '.0f')} connections{short} (counted as compact: up to "
        "half as many again)",
    )  # fmt: skip


def _curve_claims(bench: Bench, style: StyleTrial, runs: Sequence[Reader]) -> Iterator[Claim]:
    """Yield what the paper says of the curves of training."""
    full, short = _length(bench, style)
    done, whole = bench.reached(style.trial)
    first = TURN if style.name == "aggressive" else whole
    adjusted = [curves(run, ("adjusted_mean",)).values["adjusted_mean"] for run in runs]
    inside = [in_band(values[:first], style.band) for values in adjusted]
    low, high = style.band
    when = f"during the first {TURN} generations, " if style.name == "aggressive" else ""
    yield claim(
        f"{style.name.capitalize()}: {when}the average adjusted species fitness mostly stays "
        f"within {low} to {high}.", f"figure {style.figures[0]}",
        most([share >= 0.5 for share in inside]) if done >= min(first, whole) else None,
        f"in {with_range([100 * share for share in inside], '.0f')}% of the generations; median "
        f"{middle([float(np.nanmedian(v[:first])) for v in adjusted]):.2f}{short}",
    )  # fmt: skip
    if style.name == "aggressive":
        yield from _trends(runs, adjusted, full, bench.long(style.trial))


def _human_claim(style: StyleTrial, games: Sequence[list[ChampionGame]]) -> Claim:
    """Return the result against a person, for whom scripts stand in."""
    scripts = {
        script: [100 * float(np.mean([p.result == 1 for p in each if p.opponent == script]))
                 for each in games]
        for script in SCRIPTS
    }  # fmt: skip
    told = ", ".join(f"{s.split(':')[1]} {with_range(v, '.0f')}%" for s, v in scripts.items())
    return claim(
        f"{style.name.capitalize()}: against a person {style.human[0]}% won and {style.human[1]}% "
        "drawn of 50.", style.section, None,
        f"no person played; won against scripts: {told}",
    )  # fmt: skip


def _trends(
    runs: Sequence[Reader], adjusted: Sequence[Array], full: bool, long: bool
) -> Iterator[Claim]:
    """Yield what the paper says of the curves of its first experiment."""
    later = [linear_trend(np.arange(len(v))[TURN:], v[TURN:]).slope for v in adjusted if full]
    yield claim(
        f"Aggressive: from generation {TURN} on, the average adjusted species fitness rises.",
        "4.1, figure 10", most([slope > 0 for slope in later]),
        f"{with_range(later, '+.4f')} a generation" if full else "too few generations",
    )  # fmt: skip
    slopes = []
    for run in runs:
        values = curves(run, ("mean",))
        slopes.append(linear_trend(values.generations, values.values["mean"]).slope)
    yield claim(
        "Aggressive: the average fitness grows, in small steps.",
        "4.1, figure 11",
        most([slope > 0 for slope in slopes]) if long else None,
        f"{with_range(slopes, '+.3f')} a generation",
    )


PAPER = HexNeat()
