"""Paper B: layered networks that play Nim, six tests, and the chapter it left empty."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.rng import stream
from evoboard.core.wording import counted
from evoboard.games.adjudication import ILLEGAL
from evoboard.games.base import Game, load_game
from evoboard.games.history import History
from evoboard.games.nim import move_amount, move_heap
from evoboard.papers.base import Claim, Findings, Paper, Trial, claim, most, settled
from evoboard.papers.bench import Bench, champion_text, game_of
from evoboard.papers.series import SPREAD, figure_of, middle, number, smoothed, spread, with_range
from evoboard.papers.strength import beyond
from evoboard.pictures.chart import Axis, Chart
from evoboard.pictures.report import Block, Cell, Figure, Log, Section, Table, Words
from evoboard.players.network import PlayerNetwork, find_network
from evoboard.runs.report import curves, known_numbers
from evoboard.store.games import GameFilter
from evoboard.store.reader import Reader
from evoboard.store.records import GameRecord, KeptGame

PERFECT = 0.999
STEADY = 0.95  # of the generations from one on: as good as always
EARLY = 30  # generations that a population with shares takes to learn, at most
MANY_SEEDS = 9  # what befalls one run of three is missed by so many in 3% of cases
SMOOTH = 11  # generations, for what is drawn above the raw curve

# Test, experiment, what the paper's figure shows.
TESTS = (
    ("stack 2, test 1", "nim-stack-2", "“the best agent already plays the game perfectly after one "
     "generation”; wins “a steady 50%, since all games are played both ways and the first agent "
     "always wins the game”."),
    ("stack 8, test 1", "nim-stack-8-exponent-1", "“The ENNs were again able to find the right "
     "moves but surprisingly, it took almost 1000 generations to reach that consistency.”"),
    ("stack 8, test 2", "nim-stack-8-exponent-2", "“The best agent average performance stalls very "
     "quickly at 50%”; “the other two times I repeated the experiment, the ENN once learned the "
     "right move as quickly as in the first test and the other time learned it even faster”."),
    ("stack 8, test 3", "nim-stack-8-shares", "“The ENNs now learned the game in less than 30 "
     "generations. … we get a spike down to 50% twice.”"),
    ("stack 1-8, test 1", "nim-1-8-onehot", "“the performance stalls somewhere above 60%”."),
    ("stack 1-8, test 2", "nim-1-8-direct", "“The ENNs did indeed learn to play the correct "
     "moves”."),
)  # fmt: skip
LEVELS = {
    "nim-stack-8-exponent-2": (0.5, "the paper: stalls at 50%"),
    "nim-1-8-onehot": (0.6, "the paper: stalls above 60%"),
}
# Real Nim: what is tried, with its key, title, and how a network chooses.
REAL = (
    ("real-direct", "the paper's way: heap sizes in, heap and amount out, layered networks"),
    ("real-direct-binary", "the same with binary digits in"),
    ("nim-heaps-3-4-5", "values of positions, binary digits, tanh; evolution alone"),
    ("real-345-lifetime", "values of positions, binary digits, tanh; lifetime learning"),
    ("real-345-named", "binary digits in, heap and amount out, no move tried; lifetime learning"),
    ("nim-heaps-3-5-7", "values of positions, binary digits, sine nodes; evolution alone"),
    ("nim-learn-1ply", "values of positions, binary digits, tanh; lifetime learning"),
    ("real-777", "values of positions, binary digits, sine nodes; evolution alone"),
)
# Of these, those that play the same game, by the paper's way and by ours.
REAL_GAME = "nim:heaps=3/4/5"
REAL_PAPER = ("real-direct", "real-direct-binary")
REAL_OURS = ("nim-heaps-3-4-5", "real-345-lifetime", "real-345-named")


class NimThesis(Paper):
    """How can you develop evolutionary neural networks which learn to play board games?"""

    letter, author, year, game = "B", "Lucien Kissling", "2025", "nim"
    title = "How can you develop Evolutionary Neural Networks which learn to play Board Games?"
    kind = "Matura thesis, supervised by Timo Schenk"
    slips = (
        "The heading of the first test says stack 3, its text and its parameters 2.",
        "The stuck agent's text speaks of a stack of 7; its log shows 8.",
        "Real Nim (3.2.2) is announced in a sentence and has no test; complexification (3.3) and "
        "the review (4) are headings without text.",
    )

    @property
    def trials(self) -> tuple[Trial, ...]:
        """The six tests, then real Nim."""
        tests = [Trial(name, 140, 0.055) for _, name, _ in TESTS]
        heaps = f"game.name={REAL_GAME},random=true"
        free = ("stop.grade=1.0",)
        real = [
            Trial("nim-1-8-direct", 60, 0.07, changes=(heaps,), key="real-direct"),
            Trial(
                "nim-1-8-direct", 60, 0.07, changes=(heaps, "player.encoder=binary"),
                key="real-direct-binary",
            ),
            Trial("nim-heaps-3-4-5", 150, 0.06, changes=free),
            Trial("nim-learn-1ply", 60, 0.2, changes=(heaps,), key="real-345-lifetime"),
            Trial("nim-learn", 40, 0.35, changes=(heaps,), key="real-345-named"),
            Trial("nim-heaps-3-5-7", 150, 0.09),
            Trial("nim-learn-1ply", 60, 0.25),
            Trial(
                "nim-heaps-3-5-7", 100, 0.2, changes=("game.name=nim:heaps=7/7/7,random=true",),
                key="real-777", only="full",
            ),
        ]  # fmt: skip
        return (*tests, *real)

    def report(self, bench: Bench) -> Findings:
        """Return the six figures, the game logs, what else was recorded, and real Nim."""
        figures: list[Block] = []
        logs: list[Block] = []
        for test, name, told in TESTS:
            runs = bench.runs(name)
            figures.append(_figure(test, name, told, runs))
            logs.append(_games(test, runs[0]))
        sections = (
            Section("Performance and wins, test by test", tuple(figures)),
            Section("Games of best agents, as the paper prints them", tuple(logs)),
            Section("What else is recorded (3.1.6)", tuple(_secondary(bench))),
            _real_nim(bench),
        )
        return Findings(tuple(_claims(bench)), sections)


def performance(run: Reader) -> tuple[Array, Array]:
    """Return the generations whose champions were graded, and their performance."""
    found = known_numbers(run, "performance")
    return found if len(found[0]) else known_numbers(run, "grade")


def own_moves(run: Reader) -> Array:
    """Return each champion's grade in games against itself: 1 if it knows the right moves.

    Whether its opponents do, some of whom are newcomers, has no part in it.
    """
    return known_numbers(run, "grade")[1]


def against_earlier(run: Reader) -> Array:
    """Return each champion's performance in its games against earlier champions (3.1.6).

    That the paper's curves reach 100% while 15% of all agents are newcomers speaks for these.
    """
    known = known_numbers(run, "performance_earlier")[1]
    return known if len(known) else performance(run)[1]


def first_perfect(values: Array) -> int | None:
    """Return the first generation that played perfectly, None if none did."""
    found = np.flatnonzero(values >= PERFECT)
    return int(found[0]) if len(found) else None


def steady_from(values: Array) -> int | None:
    """Return the generation from which on nearly all play perfectly, None if there is none."""
    good = values >= PERFECT
    if not len(good) or good[-max(1, len(good) // 20) :].mean() < STEADY:
        return None
    later = np.cumsum(good[::-1])[::-1] / np.arange(len(good), 0, -1)
    return int(np.flatnonzero((later >= STEADY) & good)[0])


def end_of(values: Array) -> float:
    """Return the mean of the last fifth."""
    return float(values[-max(1, len(values) // 5) :].mean())


def _performances(bench: Bench, name: str) -> list[Array]:
    return [performance(run)[1] for run in bench.runs(name)]


def _figure(test: str, name: str, told: str, runs: Sequence[Reader]) -> Figure:
    whole = [performance(run) for run in runs]
    lines = {
        "performance of the best agent": spread([(xs, smoothed(ys, SMOOTH)) for xs, ys in whole]),
        "wins against older best agents": number(
            runs, "spread_score", lambda ys: smoothed(ys, SMOOTH)
        ),
        "performance against older best agents": number(
            runs, "performance_earlier", lambda ys: smoothed(ys, SMOOTH)
        ),
    }

    def add(chart: Chart) -> None:
        chart.line(*whole[0], "#a9c4e2", "the first seed, unsmoothed", thick=0.8)
        if name in LEVELS:
            chart.level(*LEVELS[name])

    note = f"{SPREAD} {counted(len(runs), 'seed')}; means over {SMOOTH} generations."
    share = Axis("share", 0, 1.0, (), ".0%")
    title = f"Simple Nim, {test} ({name})"
    return figure_of(f"b-{name}", title, lines, share, paper=told, note=note, add=add)


def _games(test: str, run: Reader) -> Log:
    """Return the last champion's games against the one before and a random earlier one."""
    generation = run.count() - 1
    titles = {row.champion: row.generation for row in run.rows()}
    game = game_of(run)
    lines = [f"Generation: {generation}"]
    lines.append(f"Best agent layer sizes: {layer_sizes(run, run.champion(generation))}")
    kept = run.games(GameFilter(generation, "previous"))[:1]
    met = run.games(GameFilter(generation, "spread"))
    earlier = met[:-2] or met  # the last two are against the one before, with either colour
    if earlier:
        chance = stream(int(run.facts()["seed"]), "an earlier best agent")
        kept.append(earlier[int(chance.integers(len(earlier)))])
    for each in kept:
        lines += ["", *_log(run, game, each, titles)]
    return Log(f"{test}, seed {run.facts()['seed']}", tuple(lines))


def layer_sizes(run: Reader, identity: int) -> list[int]:
    """Return how many nodes each layer of a stored genome has."""
    genome = run.genome(identity).genome
    layers = np.unique([layer for layer, _ in genome["nodes"]], return_counts=True)[1]
    return [int(genome["inputs"]), *(int(n) for n in layers)]


def _log(run: Reader, game: Game, kept: KeptGame, titles: dict[int, int]) -> Iterator[str]:
    stored = kept.game
    pair = [int(stored.first), int(stored.second)]
    yield " vs ".join(f"Agent {titles.get(who, '?')}" for who in pair) + ":"
    record = stored.record
    for turn, (heaps, move) in enumerate(_turns(run, game, record, pair, titles)):
        yield f"Turn: {turn}: state: {heaps}, agent_move: {move}"
    yield f"Game result: {[1, 0] if record.result > 0 else [0, 1]}"


def _turns(
    run: Reader, game: Game, record: GameRecord, pair: Sequence[int], titles: dict[int, int]
) -> Iterator[tuple[list[int], list[int]]]:
    history = History.of(game, game.parse_state(record.start), record.moves)
    for state, move in history.steps:
        yield state[: game.turn].tolist(), [move_heap(move), move_amount(move)]
    state = history.state
    if record.code == ILLEGAL:
        who = titles.get(pair[game.side(state)])
        if who is not None:
            player = find_network(champion_text(run, who), game)
            yield state[: game.turn].tolist(), wish(player, state)


def wish(player: PlayerNetwork, state: Array) -> list[int]:
    """Return heap and amount that a policy network names, legal or not."""
    network = player.network.to_json()
    slots = player.look(state).slots
    outputs = slots[[int(network["inputs"]) + place for place in network["outputs"]]]
    heaps = player.game.turn
    if player.setup.settings.get("one_hot"):
        return [int(outputs[:heaps].argmax()), 1 + int(outputs[heaps:].argmax())]
    return [int(np.floor(value + 0.5)) for value in outputs[:2]]


def _secondary(bench: Bench) -> Iterator[Block]:
    columns = (
        ("best", "Fitness of the best agent"),
        ("plies_mean", "Turns of a game, illegal ones left out"),
        ("hidden_layers", "Hidden layers, mean"),
        ("nodes_per_hidden_layer", "Nodes per hidden layer, mean"),
        ("champion_nodes", "Hidden nodes of the best agent"),
        ("champion_links", "Edges of the best agent"),
    )
    for key, title in columns:
        smooth = {
            test: number(bench.runs(name), key, lambda ys: smoothed(ys, SMOOTH))
            for test, name, _ in TESTS
        }
        note = f"{SPREAD} Means over {SMOOTH} generations."
        yield figure_of(f"b-{key}", title, smooth, title, note=note, size=(900, 300))


def _real_nim(bench: Bench) -> Section:
    rows: list[tuple[Cell, ...]] = []
    for key, how in REAL:
        if not bench.has(key):
            continue
        runs = bench.runs(key)
        trial, last = bench.trial(key), [run.count() for run in runs]
        heaps = load_game(trial.settings(bench.scale).game.name).options["heaps"]
        found = [curves(run, ("grade",)).values["grade"] for run in runs]
        grades, best = [float(g[-1]) for g in found], [float(np.nanmax(g)) for g in found]
        solved = [value >= PERFECT for value in best]
        rows.append(
            ("-".join(map(str, heaps)), how, with_range(grades, ".3f"), with_range(best, ".3f"),
             f"{sum(solved)} of {len(solved)}", with_range(last, ".0f"))
        )  # fmt: skip
    columns = (
        "heaps up to", "inputs and strategy", "last grade", "best grade", "solved", "generations"
    )  # fmt: skip
    table = Table(
        "b-real-nim", "Real Nim: the share of positions in which the move is as good as a perfect "
        "player's", columns, rows, "3.2.2 is a sentence without a test.",
        "Grades are over every position that can arise, once each, by networks without a search: "
        "they name the move, or look at the positions after their moves and no further; median "
        "(lowest … highest) of the seeds.",
    )  # fmt: skip
    told = Words(
        "Whether a position of several heaps is won depends on the parity of the heaps' binary "
        "digits. A network that names its move itself has to compute that parity and the answer to "
        "it at once; one that values positions need only tell lost ones from won ones, and every "
        "move is tried. Sine nodes count modulo 2 with one weight, tanh nodes need several each."
    )
    games = bench.scale.pick(20, 100)
    strength = beyond(bench, REAL_GAME, REAL_PAPER, REAL_OURS, games)
    return Section("Beyond the paper: real Nim, the chapter it left empty", (told, table, strength))


def _claims(bench: Bench) -> Iterator[Claim]:
    yield from _small_stacks(bench)
    yield from _exponents(bench)
    yield from _random_stacks(bench)


def _small_stacks(bench: Bench) -> Iterator[Claim]:
    found = _performances(bench, "nim-stack-2")
    first = [first_perfect(values) for values in found]
    steady = [float((values[1:] >= PERFECT).mean()) for values in found]
    yield claim(
        "Stack 2: the best agent plays perfectly after one generation.", "3.2.1, stack 2, test 1",
        most([f in (0, 1) and s >= STEADY for f, s in zip(first, steady, strict=True)]),
        f"first perfect generation: {_numbers(first)}; perfect in "
        f"{with_range([100 * s for s in steady], '.0f')}% of the generations from 1 on",
    )  # fmt: skip
    wins = [known_numbers(run, "spread_score")[1] for run in bench.runs("nim-stack-2")]
    shares = [float(np.mean(np.abs(w - 0.5) <= 0.05)) for w in wins]
    yield claim(
        "Stack 2: wins against older best agents are a steady 50%.",
        "3.2.1, stack 2, test 1",
        most([share >= STEADY for share in shares]),
        f"within 45 to 55% in {with_range([100 * s for s in shares], '.0f')}% of generations",
    )


def _exponents(bench: Bench) -> Iterator[Claim]:
    done, whole = bench.reached("nim-stack-8-exponent-1")
    found = _performances(bench, "nim-stack-8-exponent-1")
    steady = [steady_from(values) for values in found]
    late = [s is not None and s >= whole // 2 for s in steady]
    early = [s is not None and s < whole // 2 for s in steady]
    holds = False if most(early) else (most(late) if done >= whole else None)
    yield claim(
        "Stack 8, exponent 1: solved, but only after almost 1,000 generations.",
        "3.2.1, stack 8, test 1", holds,
        f"nearly always perfect from generation: {_numbers(steady)} (of {done:,}); first perfect: "
        f"{_numbers([first_perfect(values) for values in found])} (counted as almost 1,000: "
        f"generation {whole // 2} or later)",
    )  # fmt: skip
    found = _performances(bench, "nim-stack-8-exponent-2")
    ends = [end_of(values) for values in found]
    stuck, learned = [end <= 0.6 for end in ends], [end >= 0.9 for end in ends]
    yield claim(
        "Stack 8, exponent 2: some runs get stuck in a local optimum near 50%, others learn.",
        "3.2.1, stack 8, test 2",
        some_stuck(stuck, learned) if bench.long("nim-stack-8-exponent-2") else None,
        f"performance at the end {with_range(ends, '.0%')}: {sum(stuck)} of {len(ends)} seeds "
        f"stuck at 60% or below, {sum(learned)} at 90% or more (one of the paper's three runs "
        f"got stuck; fewer than {MANY_SEEDS} seeds cannot refute that)",
    )  # fmt: skip
    runs = bench.runs("nim-stack-8-shares")
    found = [own_moves(run) for run in runs]
    first = [first_perfect(values) for values in found]
    steady = [steady_from(values) for values in found]
    ends = [end_of(values) for values in _performances(bench, "nim-stack-8-shares")]
    earlier = [end_of(against_earlier(run)) for run in runs]
    holds = most([s is not None and s < EARLY for s in steady])
    # Early on nothing is steady yet; then the first slips still weigh more than they will.
    begun = bench.reached("nim-stack-8-shares")[0] >= 2 * EARLY
    yield claim(
        "Stack 8, shares of 15%: learned in less than 30 generations.",
        "3.2.1, stack 8, test 3",
        settled(holds, bench.long("nim-stack-8-shares")) if begun else None,
        f"the best agent nearly always takes 7 of 8 from generation {_numbers(steady)} on (counted "
        f"as learned: in {STEADY:.0%} of the generations from then on, as with exponent 1); for "
        f"the first time in generation {_numbers(first)}; its performance in the generation's "
        f"games at the end {with_range(ends, '.0%')}, as newcomers leave it heaps that it has not "
        f"learned; {with_range(earlier, '.0%')} against older best "
        "agents",
    )
    dips = [
        100 * float((values[f:] < PERFECT).mean())
        for values, f in zip(found, first, strict=True)
        if f is not None
    ]
    few = most([dip <= 1 for dip in dips]) if bench.whole("nim-stack-8-shares") else None
    yield claim(
        "Stack 8, shares of 15%: afterwards only two dips in 1,000 generations.",
        "3.2.1, stack 8, test 3", few,
        f"the best agent takes another number in {with_range(dips, '.1f')}% of the generations "
        "after the first right one (counted as few: 1% at most)",
    )  # fmt: skip


def some_stuck(stuck: Sequence[bool], learned: Sequence[bool]) -> bool | None:
    """Return whether some runs got stuck and others learned; a few runs cannot refute it."""
    if any(stuck) and any(learned):
        return True
    return False if len(stuck) >= MANY_SEEDS else None


def _random_stacks(bench: Bench) -> Iterator[Claim]:
    onehot = [end_of(values) for values in _performances(bench, "nim-1-8-onehot")]
    earlier = [end_of(against_earlier(run)) for run in bench.runs("nim-1-8-onehot")]
    direct = [end_of(values) for values in _performances(bench, "nim-1-8-direct")]
    # What is learned early stays refuted or shown; that nothing more is learned takes long.
    long = bench.long("nim-1-8-onehot")
    beyond = most([end > 0.8 for end in earlier])
    stalled = most([0.6 <= end <= 0.8 for end in earlier])
    yield claim(
        "Stack 1-8, one-hot: stalls somewhere above 60%.", "3.2.1, stack 1-8, test 1",
        stalled if long else (False if beyond else None),
        f"performance at the end {with_range(earlier, '.0%')} against older best agents (counted "
        f"as stalled above 60%: 60 to 80%), {with_range(onehot, '.0%')} in all its games",
    )  # fmt: skip
    amounts = [_amounts(run) for run in bench.runs("nim-1-8-onehot")]
    two = most([max(each) <= 2 for each in amounts])
    yield claim(
        "Stack 1-8, one-hot: never learns to take more than two matches.",
        "3.2.1, stack 1-8, test 1", settled(two, long, for_good=False),
        f"the last best agents take, from heaps of 2 to 8: {'; '.join(map(str, amounts))}",
    )  # fmt: skip
    solved = most([end >= 0.95 for end in direct])
    yield claim(
        "Stack 1-8, direct output: solved.", "3.2.1, stack 1-8, test 2",
        settled(solved, bench.long("nim-1-8-direct")),
        f"performance at the end {with_range(direct, '.0%')} (counted as solved: 95% or more)",
    )  # fmt: skip
    better = middle(direct) > middle(onehot)
    yield claim(
        "Direct output beats one-hot output on random stacks.",
        "3.2.1, stack 1-8, test 2",
        settled(better, long),
        f"{middle(direct):.0%} against {middle(onehot):.0%} at the end, medians",
    )


def _amounts(run: Reader) -> list[int]:
    """Return how many matches the last champion wants to take from heaps of 2, 3, … 8.

    With one match left it is lost whatever it says; the paper's agents say 1, 2 and 8 there.
    """
    game = game_of(run)
    player = find_network(champion_text(run), game)
    return [wish(player, game.parse_state(f"{size} 0"))[1] for size in range(2, 9)]


def _numbers(generations: Sequence[int | None]) -> str:
    return ", ".join("never" if each is None else f"{each:,}" for each in generations)


PAPER = NimThesis()
