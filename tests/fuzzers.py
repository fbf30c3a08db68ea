"""Hostile texts by mutation: every reader of a user's or a stranger's text, fed with garbage.

A reader may refuse with one of evoboard's errors, in a sentence that is not endless, or accept. All
else is a fault: another exception, a text of an error that quotes thousands of characters, or a
case that takes seconds. `python -m fuzzers CASES [TARGET…]` prints a table.
"""

from __future__ import annotations

import json
import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cache, partial
from pathlib import Path
from typing import Any

from evoboard.arena.game_files import read_games
from evoboard.arena.game_text import HEADING
from evoboard.core.errors import EvoboardError, NotationError
from evoboard.evolution.genomes import layered, neat, real
from evoboard.experiments import catalog as experiments
from evoboard.games.base import Game, game_names, load_game
from evoboard.interop.engine import Engine
from evoboard.interop.hub import Hub
from evoboard.interop.uci import Uci
from evoboard.networks import graph_network, mlp_network
from evoboard.players.base import make_player
from evoboard.players.champion import FOLDER
from evoboard.players.external import Heard
from evoboard.players.hub import HubPlayer
from evoboard.players.uci import read_info, read_options
from evoboard.training.experiment import read_experiment, resolved
from evoboard.web.uploads import keep_player, read_file

LONGEST_MESSAGE = 1000
SLOW = 5.0  # seconds; only a reader that is not linear takes so long
WORDS = (
    *("", " ", "\n", "\t", "\0", "\ufeff", "\udcff", "\u2028", "½", "٣", "💥", "é", "-", "+", "."),
    *("0", "-1", "1e999", "NaN", "Infinity", "9" * 400, str(2**64), str(2**31), "-" * 300),
    *("null", "true", "[]", "{}", "[" * 300, "{" * 50, '"', "'", "\\", "/", "//", "../../etc"),
    *("a." * 600 + "a", "[" + "a." * 600 + "a]", "x" * 300, "%s%n", "$(id)", "; DROP TABLE", "<b>"),
    *("=", ":", ",", ";", "#", "(", ")", "{", "}", "[", "]", "$1", "1.", "...", "*", "1-0", "--"),
    *("position", "go", "moves", "depth", "nodes", "startpos", "fen", "pos=", "level", "info"),
)
REFUSED = "refused"
Read = Callable[[str], object]
Reader = tuple[Sequence[str], Read]


@dataclass
class Target:
    """One reader: texts that it reads, and how it is called."""

    name: str
    samples: Sequence[str]
    read: Read


@dataclass
class Score:
    """What became of the cases: how many were refused, how many accepted, and what was a fault."""

    refused: int = 0
    accepted: int = 0
    faults: list[str] = field(default_factory=list)

    @property
    def cases(self) -> int:
        return self.refused + self.accepted + len(self.faults)


def mutated(text: str, rng: random.Random) -> str:
    """Return a text after a few changes: bits, words, pieces moved, doubled, cut out."""
    for _ in range(rng.choice((1, 1, 1, 2, 3, 6))):
        a, b = sorted((rng.randint(0, len(text)), rng.randint(0, len(text))))
        b = min(b, a + rng.choice((1, 3, 20, 10_000)))
        how = rng.randrange(6)
        if how == 0:
            text = (
                text[:a] + chr(rng.choice((rng.randrange(128), rng.randrange(0x11000)))) + text[b:]
            )
        elif how == 1:
            text = text[:a] + rng.choice(WORDS) + text[a:]
        elif how == 2:
            text = text[:a] + rng.choice(WORDS) + text[b:]
        elif how == 3:
            text = text[:a] + text[b:]
        elif how == 4:
            text = text[:b] + text[a:b] * rng.choice((1, 2, 30)) + text[b:]
        else:
            c = rng.randint(0, len(text))
            text = text[:c] + text[a:b] + text[c:]
    return text[:20_000]


def changed_json(text: str, rng: random.Random) -> str:
    """Return JSON with one value, anywhere, replaced by another kind of value."""
    data = json.loads(text)
    place, key = data, None
    for _ in range(rng.randint(1, 4)):
        inner = place[key] if key is not None else place
        keys = (
            list(inner)
            if isinstance(inner, dict)
            else range(len(inner))
            if isinstance(inner, list)
            else ()
        )
        if not keys:
            break
        place, key = inner, rng.choice(list(keys))
    values = (
        None,
        True,
        -1,
        0,
        2**31,
        2**64,
        10**400,
        1e308,
        -1e-320,
        "",
        "x" * 300,
        [],
        {},
        [[]],
        "neat",
    )
    if key is not None:
        if rng.random() < 0.1:
            del place[key]
        else:
            place[key] = rng.choice(values)
    return json.dumps(data)


def attack(target: Target, cases: int, seed: int = 1, seconds: float = math.inf) -> Score:
    """Return what a reader does with so many mutated texts, or with those it has time for.

    That is processor time: other programs do not make them fewer.
    """
    rng, score = random.Random(f"{target.name} {seed}"), Score()
    until = time.process_time() + seconds
    for number in range(cases):
        if time.process_time() > until:
            break
        sample = rng.choice(target.samples)
        structured = sample[:1] == "{" and rng.random() < 0.5
        text = changed_json(sample, rng) if structured else mutated(sample, rng)
        became = tried(target, text)
        if became in ("", REFUSED):
            score.refused += became == REFUSED
            score.accepted += became == ""
        else:
            place = f"{target.name}, case {number} of {seed}"
            score.faults.append(f"{place}: {became} for {text[:150]!r}")
    return score


def tried(target: Target, text: str) -> str:
    """Return "" for a text that is read, "refused" for one that is refused, else the fault."""
    began, became = time.perf_counter(), ""
    try:
        target.read(text)
    except EvoboardError as error:
        became = REFUSED
        if len(str(error)) > LONGEST_MESSAGE:
            return f"an error of {len(str(error)):,} characters: {str(error)[:200]}"
    except Exception as error:
        return f"{type(error).__name__}: {str(error)[:200]}"
    took = time.perf_counter() - began
    return became if took < SLOW else f"it took {took:.0f} s"


# --- the readers ---------------------------------------------------------------------------------


@cache
def game_of(name: str) -> Game:
    return load_game(name)


def _positions(name: str) -> Reader:
    game = game_of(name)
    rng, state, texts = random.Random(3), game_of(name).initial(), []
    for _ in range(40):
        texts.append(game.state_text(state))
        moves = game.legal_moves(state)
        if not moves:
            break
        state = game.apply(state, rng.choice(moves))

    def read(text: str) -> None:
        position = game.parse_state(text)
        game.legal_moves(position)
        game.parse_state(game.state_text(position))

    return texts, read


def _moves(name: str) -> Reader:
    game = game_of(name)
    start = game.initial()
    texts = [game.move_text(start, move) for move in game.legal_moves(start)]
    return texts, lambda text: game.parse_move(start, text)


PGN = """[Event "?"]
[White "a"]
[Black "b"]
[Result "1-0"]

1. e4 {good} e5 (1... c5 2. Nf3 $1) 2. Nf3 Nc6 3. Bb5 a6 4. O-O Nf6 1-0
"""
FEN = """[Event "x"]
[SetUp "1"]
[FEN "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1"]
[Result "*"]

1. e4 Kd7 2. e5 *
"""
PDN = """[Event "?"]
[GameType "21"]
[Result "2-0"]

1. 11-15 22-18 2. 15x22 25x18 2-0
"""
OWN = f"""{HEADING}
game: chess
first: you
second: material

1. e2e4 e7e5
2. g1f3 b8c6
variation at ply 2:
1. ... c7c5
"""


def _read_games(text: str) -> None:
    for found in read_games(text)[:3]:
        found.tree(game_of)


def _champions(name: str = "*") -> list[str]:
    return [path.read_text("utf-8") for path in sorted(FOLDER.glob(f"{name}.json"))]


@cache
def _folder() -> Path:
    return Path(tempfile.mkdtemp(prefix="evoboard-fuzz-"))


def _read_player(text: str) -> None:
    path = _folder() / "player.json"
    path.write_text(text, "utf-8", "surrogatepass")
    make_player(f"file:{path}", game_of("kingcapture"))


def _upload(text: str) -> None:
    """Hand over a file as a visitor of the app does, as a player and as a game."""
    os.environ["EVOBOARD_GAMES"] = str(_folder())
    content = text.encode("utf-8", "surrogatepass")
    with suppress(NotationError):
        read_file(content, "fuzz.pgn")
    keep_player(content, "fuzz.json", game_of("kingcapture"))


def _read_toml(text: str) -> None:
    path = _folder() / "experiment.toml"
    path.write_text(text, "utf-8", "surrogatepass")
    experiments.load(str(path))


def _genomes() -> dict[str, str]:
    neat = {"kind": "neat", "version": 1, "inputs": 2, "outputs": 1}
    node = {"bias": 0.5, "response": 1.0, "activation": "tanh", "aggregation": "sum"}
    links = [
        {"number": n, "source": n, "target": 2, "weight": 0.5, "status": "live", "frozen": False}
        for n in range(2)
    ]
    whole = {**neat, "nodes": [{"key": 2, **node}], "links": links}
    layers = {"kind": "layered", "version": 1, "inputs": 2, "outputs": 1}
    edges = {"nodes": [[2, 0.5], [1, 0.1]], "edges": [[0, 3, 0.5], [3, 2, 1.5]]}
    vector = {
        "kind": "real",
        "version": 1,
        "sizes": [2, 1],
        "vector": [0.5, 1.0, 2.0],
        "strength": [],
    }
    texts = {"neat": whole, "layered": {**layers, **edges}, "real": vector}
    return {name: json.dumps(data) for name, data in texts.items()}


def _networks(kind: str) -> list[str]:
    found = [json.loads(text)["network"] for text in _champions()]
    texts = [json.dumps(network) for network in found if network["kind"] == kind]
    if kind == "graph" and not texts:
        node = {"bias": 0.5, "links": [[0, 1.0], [1, -0.5]], "activation": "tanh"}
        node |= {"aggregation": "sum", "response": 1.0, "bound": 1.0, "steepness": 1.0}
        texts = [
            json.dumps(
                {"kind": "graph", "version": 1, "inputs": 2, "outputs": [0], "nodes": [node]}
            )
        ]
    return texts


def _conversation(speaker: Any, game: str, lines: Sequence[str]) -> Reader:
    """A protocol's words, without searches: what is asked for is looked at, not thought about."""
    engine = Engine(game_of(game), "random")
    engine.go = lambda asked, listener: asked.limits("random", 0.05)  # type: ignore[method-assign]
    engine.prepare = lambda then, listener: then()  # type: ignore[method-assign]
    talks = speaker(engine, lambda text: None)
    return lines, talks.handle


UCI_LINES = (
    "uci", "isready", "ucinewgame", "position startpos moves e2e4 e7e5", "go depth 3",
    "position fen 4k3/8/8/8/8/8/4P3/4K3 w - - 0 1 moves e2e4", "go wtime 1000 btime 900 winc 10",
    "go nodes 100 searchmoves e2e4 d2d4", "setoption name MultiPV value 3", "go infinite", "stop",
    "setoption name UCI_Elo value 1500", "ponderhit", "debug on", "go movetime 10 mate 2",
)  # fmt: skip
HUB_LINES = (
    "hub", "init", "new-game", "ping", f"pos pos=W{'b' * 12}{'e' * 8}{'w' * 12}",
    f"""pos pos=B{'b' * 12}{'e' * 8}{'w' * 12} moves="11-15 22-18\"""",
    "level depth=3", "level time=10 moves=40 inc=1", "go think", "stop", "ponder-hit",
    "set-param name=variant value=normal", "level infinite", "go analyze",
)  # fmt: skip
INFO = (
    "info depth 12 seldepth 20 score cp -35 nodes 12345 nps 1000 pv e2e4 e7e5 g1f3",
    "info depth 3 score mate -2 upperbound nodes 9 pv d2d4", "info string hello", "bestmove e2e4",
    "option name Hash type spin default 16 min 1 max 33554432",
    "option name Style type combo default Solid var Solid var Very Risky",
    'info depth=12 score=-0.35 nodes=12345 time=0.5 pv="32-28 19-23"', "done move=32-28",
)  # fmt: skip


HUB = HubPlayer.__new__(HubPlayer)


def _hear(text: str) -> None:
    for line in text.splitlines():
        read_info(line.split()[1:], Heard())
        read_options([line])
        if line.split():
            HubPlayer.hear(HUB, line, Heard())


PLAYERS = (
    "random", "material:depth=3,quiescence=2", "mcts:rounds=50,seconds=0.1", "champion:level=3",
    "champion:kingcapture-1ply,nodes=100", "run:mine@gen=4", "run:mine@best,depth=2",
    "file:some.json,seconds=1", "linear", "champion:elo=1200",
)  # fmt: skip
GAMES = (
    "nim:heaps=3/5/7", "nim:heaps=8/8,simple=true,random=true", "hexwar:layout=rhombus",
    "chess:start=4k3/8/8/8/8/8/4P3/4K3 w - - 0 1", "draughts", "kingcapture",
)  # fmt: skip
CHANGES = (
    "search.depth=2", "strategy.population=50", "strategy.name=neat", "game.name=nim",
    "strategy.mutations.0.chance=0.5", 'measure.anchors=["random"]', "fitness.scoring=1/0/-1",
    "generations=5", "record.games_every=4",
)  # fmt: skip


# Every reader of texts that come from outside. Each is made when it is its turn: a worker of the
# tests that has others to try does not compile the rules of all games.
READERS: dict[str, Callable[[], Reader]] = {
    **{f"{name} positions": partial(_positions, name) for name in game_names()},
    **{f"{name} moves": partial(_moves, name) for name in game_names()},
    "PGN, PDN and games of ours": lambda: ((PGN, FEN, PDN, OWN), _read_games),
    "genomes of NEAT": lambda: ([_genomes()["neat"]], lambda text: neat.from_json(_json(text))),
    "layered genomes": lambda: ([_genomes()["layered"]], lambda t: layered.from_json(_json(t))),
    "vectors": lambda: ([_genomes()["real"]], lambda text: real.from_json(_json(text))),
    "graph networks": lambda: (_networks("graph"), graph_network.from_json),
    "layered networks": lambda: (_networks("mlp"), mlp_network.from_json),
    "player files": lambda: (_champions("kingcapture*"), _read_player),
    "uploads to the app": lambda: ([*_champions("kingcapture*"), *_genomes().values()], _upload),
    "experiments (TOML)": lambda: (
        [experiments.find(name).read_text("utf-8") for name in _names()[:12]],
        _read_toml,
    ),
    "changes (--set)": lambda: (CHANGES, partial(_change, resolved(experiments.load("nim-quick")))),
    "names of games": lambda: (GAMES, load_game),
    "names of players": lambda: (
        PLAYERS,
        lambda text: make_player(text, game_of("kingcapture")),
    ),
    "UCI, as an engine": partial(_conversation, Uci, "chess", UCI_LINES),
    "Hub, as an engine": partial(_conversation, Hub, "draughts", HUB_LINES),
    "UCI and Hub, from engines": lambda: (INFO, _hear),
}


def target(name: str) -> Target:
    """Return one of the readers."""
    return Target(name, *READERS[name]())


def targets() -> list[Target]:
    """Return all of them."""
    return list(map(target, READERS))


def _change(plain: Any, text: str) -> object:
    return read_experiment(plain, [text])


def _json(text: str) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return text


def _names() -> list[str]:
    return sorted(experiments.experiment_names())


if __name__ == "__main__":
    for each in targets():
        if not sys.argv[2:] or any(word in each.name for word in sys.argv[2:]):
            start = time.perf_counter()
            result = attack(each, int(sys.argv[1]))
            took = time.perf_counter() - start
            counts = f"{result.cases:>9,} {result.refused:>9,} {len(result.faults):>5}"
            print(f"{each.name:28} {counts} {took:.1f} s")
            for told in result.faults[:6]:
                print("   ", told)
