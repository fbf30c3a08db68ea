"""Faults and hostile inputs, tried for real, and what came of them: `make trust`.

    python tools/trust.py [--long] [--jobs N] [--write] [TRIAL…]
    python tools/trust.py [--long] --part 3/8 --save FILE [TRIAL…]
    python tools/trust.py --merge FILE… [--write]

Prints a table: what was tried, how often, what happened, and whether that is what may happen:
nothing lost, nothing executed, nothing hung. It takes some minutes; `--long` tries ten to a
thousand times as much, in an hour or two of processor time, on as many cores as `--jobs` says.
`--write` puts its rows into docs/trust.md. TRIAL chooses trials by words of their names. `--part`
tries one of so many parts and `--save` keeps what came of it: several machines can share the work,
and `--merge` makes the table of all their files. The same command once more goes on with FILE: what
is complete is not tried again, and hostile texts, which take hours, go on where they were cut off.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import random
import re
import shlex
import shutil
import signal
import socket
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from string import Formatter
from typing import Any, NoReturn, TypeVar

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
PAGE = ROOT / "docs" / "trust.md"
sys.path[:0] = [str(ROOT / "src"), str(TESTS)]
_before = filter(None, [os.environ.get("PYTHONPATH")])
os.environ["PYTHONPATH"] = os.pathsep.join([*sys.path[:2], *_before])
os.environ["OPENBLAS_NUM_THREADS"] = "1"  # trainers are forked, and threads are not

import numpy as np  # noqa: E402

from compare_runs import differences  # noqa: E402
from evoboard.core.errors import EvoboardError  # noqa: E402
from evoboard.evolution.base import strategy_names  # noqa: E402
from evoboard.experiments.catalog import load  # noqa: E402
from evoboard.games.base import load_game  # noqa: E402
from evoboard.games.history import History  # noqa: E402
from evoboard.players.base import make_player  # noqa: E402
from evoboard.players.program import Program  # noqa: E402
from evoboard.runs.runner import Listener, resume_run, start_run  # noqa: E402
from evoboard.store.run_file import RunError, run_names  # noqa: E402
from evoboard.training.experiment import Experiment  # noqa: E402
from fake_trainer import FakeTrainer, fake_experiment  # noqa: E402
from fuzzers import attack, targets  # noqa: E402

Case = TypeVar("Case")
INTERRUPTED = 130
PLAYERS = 50  # at once on the app
CLICK = 0.150  # seconds within which nineteen of twenty clicks shall be seen
RECORD = {"games_every": 4, "genomes_every": 3}


@dataclass
class Result:
    """What a trial, or a part of it, has come to.

    `counts` are what was tried and what happened, to be added up; `faults` are what may not happen,
    in sentences.
    """

    counts: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)
    told: str = ""  # what cannot be added up
    seconds: float = 0.0  # of all parts together
    date: str = ""
    interrupted: bool = False

    def add(self, other: Result) -> None:
        """Take in what another part has come to."""
        self.counts.update(other.counts)
        self.faults += other.faults
        self.told = self.told or other.told
        self.seconds += other.seconds
        self.date = max(self.date, other.date)
        self.interrupted |= other.interrupted


@dataclass(frozen=True)
class Share:
    """Which part of so many is tried here, and whether there is much time."""

    long: bool = False
    part: int = 0
    parts: int = 1
    keep: Callable[[], None] = lambda: None  # called now and then by whoever can go on

    def of(self, cases: Iterable[Case]) -> list[Case]:
        """Return the cases of this part."""
        return list(cases)[self.part :: self.parts]

    def number(self, short: int, long: int) -> int:
        """Return how many cases all parts together have."""
        return long if self.long else short


@dataclass(frozen=True)
class Trial:
    """One kind of fault: its name, what tries a share of it, and how its counts are told.

    The two texts, of how often and of what happened, have the counts in them by their names.
    """

    name: str
    run: Callable[[Share, Result], None]
    tried: str
    happened: str


@contextmanager
def runs_folder() -> Iterator[Path]:
    """Have all runs in a folder that goes away."""
    before = os.environ.get("EVOBOARD_RUNS")
    with tempfile.TemporaryDirectory(prefix="evoboard-trust-") as folder:
        os.environ["EVOBOARD_RUNS"] = folder
        try:
            yield Path(folder)
        finally:
            os.environ.pop("EVOBOARD_RUNS")
            if before is not None:
                os.environ["EVOBOARD_RUNS"] = before


def training(*words: object) -> subprocess.Popen[str]:
    """Start a process that trains a run or goes on with it, and tells of every generation."""
    command = [sys.executable, str(TESTS / "killed_run.py"), *map(str, words)]
    pipe = subprocess.PIPE
    return subprocess.Popen(command, stdout=pipe, stderr=pipe, text=True)


def evoboard(*words: str, seconds: float = 300, **more: str) -> subprocess.CompletedProcess[str]:
    """Run a command to its end."""
    command = [sys.executable, "-m", "evoboard", *words]
    env = {**os.environ, **more}
    return subprocess.run(
        command, capture_output=True, text=True, timeout=seconds, check=False, env=env
    )


# --- runs ----------------------------------------------------------------------------------------

EXPERIMENT = """generations = 30
game.name = "nim:heaps=2/3"
player.encoder = "heaps"
search.name = "alphabeta"
strategy = {{ name = "{}", population = 16 }}
champion = {{ candidates = 2, openings = 2, finalists = 2, final_openings = 2 }}
measure = {{ every = 10, anchors = ["random"], games = 4 }}
record = {{ checkpoint_every = 2, games_every = 5 }}
"""


def killed_runs(share: Share, result: Result) -> None:
    """SIGKILL at random moments, over all strategies; then to the end, row by row the same."""
    for name in share.of(strategy_names()):
        result.counts["strategies"] += 1
        with runs_folder() as folder:
            try:
                _kill_runs(name, share.number(5, 500), folder, result)
            except (EvoboardError, OSError) as error:
                result.faults.append(f"{name}: {error}")


def _kill_runs(name: str, kills: int, folder: Path, result: Result) -> None:
    """Kill runs by a strategy again and again, until they are complete all the same.

    A trainer is a fork of this process, which has trained a run and so has compiled all: nothing
    is waited for but training, and as many kills as possible hit it.
    """
    file, rng = folder / "experiment.toml", random.Random(name)
    file.write_text(EXPERIMENT.format(name), encoding="utf-8")
    experiment = load(str(file))
    for run in ("first", "plain"):  # the second takes as long as those that are killed
        began = time.perf_counter()
        start_run(run, experiment, 1, 1)
    whole = time.perf_counter() - began
    while kills > 0:
        said, says = os.pipe()
        pid = os.fork()
        if not pid:
            os.close(said)
            _train_on(experiment, says, rng.choice((1, 2)))
        os.close(says)
        with os.fdopen(said, "rb") as heard:
            # Most kills come after a run is opened, where most of its time is spent.
            told = heard.read(1) if rng.random() < 0.8 else b""
            time.sleep(rng.uniform(0, whole / 2))
            os.kill(pid, signal.SIGKILL)
            _, status = os.waitpid(pid, 0)
            told += heard.read()
        if os.WIFSIGNALED(status):
            result.counts["kills"] += 1
            kills -= 1
        else:
            _compare(folder, name, told, result)
    while (folder / "one").exists():
        told = _to_the_end(experiment)
        _compare(folder, name, told, result)


def _to_the_end(experiment: Experiment) -> bytes:
    """Let a trainer come to its end, and return what it has told."""
    said, says = os.pipe()
    pid = os.fork()
    if not pid:
        os.close(said)
        _train_on(experiment, says, 1)
    os.close(says)
    with os.fdopen(said, "rb") as heard:
        told = heard.read()
    os.waitpid(pid, 0)
    return told


class _Said(Listener):
    def __init__(self, says: int) -> None:
        self.says = says

    def began(self, run: object) -> None:
        os.write(self.says, b".")


def _train_on(experiment: Experiment, says: int, threads: int) -> NoReturn:
    """Train the run "one" in this forked process, tell when it begins and what went wrong."""
    try:
        if "one" in run_names():
            resume_run("one", threads, listener=_Said(says))
        else:
            start_run("one", experiment, 1, threads, listener=_Said(says))
    except BaseException as error:
        os.write(says, f"{type(error).__name__}: {error}".encode())
    finally:
        os._exit(0)


def _compare(folder: Path, name: str, told: bytes, result: Result) -> None:
    """Note how a run that came to its end differs from the one that nobody killed; remove it."""
    result.counts["runs"] += 1
    if told.strip(b"."):
        result.faults.append(f"{name}: {told.decode()}")
    else:
        found = differences(folder / "plain", folder / "one", most=2)
        result.faults += [f"{name}: {difference}" for difference in found]
    shutil.rmtree(folder / "one")


def full_disk(share: Share, result: Result) -> None:
    """A disk that is full in the middle; then there is room again."""
    sizes = [100_000 + 2_000_000 // (i + 2) for i in range(share.number(6, 60))]
    with runs_folder() as folder:
        training("plain", "--generations", 60).communicate()
        for size in share.of(sizes):
            shutil.rmtree(folder / "one", ignore_errors=True)
            _, told = training("one", "--generations", 60, "--largest-file", size).communicate()
            if not re.fullmatch(r"(RunError: .*\n)?", told):
                result.faults.append(f"{size} bytes: {told.strip().splitlines()[-1]}")
            result.counts["sizes"] += 1
            result.counts["small"] += bool(told)
            training("one", "--generations", 60).communicate()
            result.faults += differences(folder / "plain", folder / "one", most=1)


class _Halt(Listener):
    def generation(self, record: object) -> None:
        if getattr(record, "generation", 0) == 7:
            raise ZeroDivisionError


def _half_done(folder: Path) -> bytes:
    """Make two equal runs, the second one half; return its database."""
    fake = {"make_trainer": FakeTrainer}
    start_run("plain", fake_experiment(12, RECORD), 1, **fake)  # type: ignore[arg-type]
    with suppress(ZeroDivisionError):
        start_run("one", fake_experiment(12, RECORD), 1, listener=_Halt(), **fake)  # type: ignore[arg-type]
    with closing(sqlite3.connect(folder / "one" / "run.db")) as database:
        database.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    return (folder / "one" / "run.db").read_bytes()


def _resume() -> None:
    """Train a run to its end. Ctrl-C ends training in good order: what was tried is not whole."""
    if not resume_run("one", make_trainer=FakeTrainer).finished:  # type: ignore[arg-type]
        raise KeyboardInterrupt


def corrupt_bytes(share: Share, result: Result) -> None:
    """Bytes anywhere in a run's database replaced; whatever is trained on must be as it was.

    Some at random, and at length also every byte in use by itself, twice.
    """
    counts, faults = result.counts, result.faults
    with runs_folder() as folder:
        sound, place = _half_done(folder), folder / "one" / "run.db"
        singly = [[at] for at in _in_use(sound)] * 2 if share.long else []
        for number, at in share.of(enumerate([*[None] * share.number(500, 10_000), *singly])):
            rng = random.Random(f"corrupt {number}")
            for file in place.parent.glob("run.db-*"):
                file.unlink()
            data = bytearray(sound)
            for each in at or [rng.randrange(len(data)) for _ in range(rng.randint(1, 8))]:
                data[each] = (data[each] + rng.randint(1, 255)) % 256
            if number % 20 == 0 and not at:
                del data[rng.randrange(len(data)) :]
            place.write_bytes(data)
            case = f"case {number}{f', byte {at[0]}' if at else ''}"
            try:
                _resume()
            except RunError as error:
                counts["refused"] += 1
                if len(str(error)) > 500 or "\n" in str(error):
                    faults.append(f"{case}: {str(error)[:200]}")
            except Exception as error:
                faults.append(f"{case}: {type(error).__name__}: {str(error)[:200]}")
            else:
                counts["sound"] += 1
                try:
                    found = differences(folder / "plain", folder / "one", most=1)
                except RunError as error:  # what cannot be read is not the same
                    found = [str(error)]
                faults += [f"{case}: trained on over damage; {what[:200]}" for what in found]
            counts["databases"] += 1


def _in_use(data: bytes) -> list[int]:
    """Return the places of the bytes of a database that hold anything, and some after each."""
    found: set[int] = set()
    for at in np.flatnonzero(np.frombuffer(data, np.uint8)).tolist():
        found.update(range(at, min(at + 8, len(data))))
    return sorted(found)


class _Copy(Listener):
    """Takes a run's files as a kill would leave them: most of it is in SQLite's log."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.files = folder, dict[str, bytes]()

    def generation(self, record: object) -> None:
        if getattr(record, "generation", 0) == 7:
            found = self.folder.glob("run.db*")
            self.files = {path.name: path.read_bytes() for path in found}
            raise ZeroDivisionError


def damaged_log(share: Share, result: Result) -> None:
    """The log of a killed run cut off or with other bytes; what it still has is gone on from."""
    with runs_folder() as folder:
        _half_done(folder)
        shutil.rmtree(folder / "one")
        place = folder / "one"
        killed, fake = _Copy(place), {"make_trainer": FakeTrainer}
        with suppress(ZeroDivisionError):
            start_run("one", fake_experiment(12, RECORD), 1, listener=killed, **fake)  # type: ignore[arg-type]
        for number in share.of(range(share.number(100, 2_000))):
            rng = random.Random(f"log {number}")
            for name, content in killed.files.items():
                data = bytearray(content)
                if name == "run.db-wal":
                    del data[rng.choice((len(data), rng.randrange(len(data)))) :]
                if name != "run.db":
                    for _ in range(rng.randint(1, 4) if data else 0):
                        data[rng.randrange(len(data))] = rng.randrange(256)
                (place / name).write_bytes(data)
            try:
                _resume()
                found = differences(folder / "plain", place, most=1)
            except Exception as error:
                found = [f"{type(error).__name__}: {str(error)[:200]}"]
            result.faults += [f"case {number}: {what}" for what in found]
            result.counts["logs"] += 1
            for path in place.glob("run.db*"):
                path.unlink()


def changed_history(share: Share, result: Result) -> None:
    """One stored number changed to another that is as good; a run is not trained on over that."""
    where = {
        "individuals": "fitness", "generations": "champion_slot", "games": "result",
        "species": "size", "measurements": "wins", "lengths": "games",
    }  # fmt: skip
    with runs_folder() as folder:
        sound, place = _half_done(folder), folder / "one" / "run.db"
        for number in share.of(range(share.number(40, 500))):
            rng = random.Random(f"changed {number}")
            for file in place.parent.glob("run.db-*"):
                file.unlink()
            place.write_bytes(sound)
            table = rng.choice(sorted(where))
            with closing(sqlite3.connect(place)) as database:
                row = f"generation = {rng.randrange(8)}"
                cell = where[table]
                found = database.execute(f"UPDATE {table} SET {cell} = {cell} + 1 WHERE {row}")
                if not found.rowcount:
                    database.execute("UPDATE meta SET value = '77' WHERE key = 'seed'")
                database.commit()
            result.counts["histories"] += 1
            try:
                _resume()
                result.faults.append(f"case {number}: {table} was changed and the run trained on")
            except RunError:
                pass


def two_processes(share: Share, result: Result) -> None:
    """Two trainers on one run at the same time."""
    with runs_folder() as folder:
        training("plain", "--generations", 30).communicate()
        for _ in share.of(range(share.number(3, 20))):
            result.counts["rounds"] += 1
            shutil.rmtree(folder / "one", ignore_errors=True)
            first = training("one", "--generations", 30, "--pause", 0.4)
            for line in first.stdout or ():
                if line.startswith("stored"):
                    break
            second = training("one", "--generations", 30)
            _, told = second.communicate()
            if second.returncode != 1 or "is being trained" not in told:
                result.faults.append(f"the second one was not refused: {told.strip()[:200]}")
            first.communicate()
            result.faults += differences(folder / "plain", folder / "one", most=1)


JUMPY = """
import random, sys, time
real, rng = time.time, random.Random(5)
time.time = lambda: real() + rng.choice((0, 86400, -86400, 1e9, -1e9))
sys.argv = sys.argv[1:]
"""
TRAINS = "import runpy; runpy.run_path(sys.argv[0], run_name='__main__')"
THINKS = """
from evoboard.games.base import load_game
from evoboard.games.history import History
from evoboard.players.base import make_player
game = load_game("kingcapture")
for text in sys.argv:
    player = make_player(text, game)
    player.think(History(game), 1)
    began = time.monotonic()
    player.think(History(game), 1)
    print(time.monotonic() - began)
"""


def jumping_clock(share: Share, result: Result) -> None:
    """The clock jumps by days and decades while a run is trained and players think."""
    faults = result.faults
    with runs_folder() as folder:
        training("plain", "--generations", 40).communicate()
        for _ in share.of(range(share.number(2, 20))):
            result.counts["runs"] += 1
            shutil.rmtree(folder / "one", ignore_errors=True)
            script = [str(TESTS / "killed_run.py"), "one", "--generations", "40"]
            command = [sys.executable, "-c", JUMPY + TRAINS, *script]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                faults.append(done.stderr.strip()[-200:])
            else:
                faults += differences(folder / "plain", folder / "one", most=1)
        players = share.of(("material:seconds=0.2", "champion:seconds=0.2", "mcts:seconds=0.2"))
        if players:
            command = [sys.executable, "-c", JUMPY + THINKS, *players]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            took = [float(line) for line in done.stdout.split()]
            if len(took) != len(players) or max(took) > 2:
                faults.append(f"thinking for 0.2 s took {took} {done.stderr.strip()[-200:]}")
        result.counts["players"] += len(players)


# --- strangers' texts, games and programs --------------------------------------------------------


def hostile_texts(share: Share, result: Result) -> None:
    """Mutated texts for every reader, in turns: the slower one is, the fewer it gets.

    What an earlier process has tried is in the counts; this one goes on with the next turn.
    """
    counts, readers = result.counts, targets()
    wanted = share.number(60_000, 10_000_000) / share.parts
    while counts["texts"] < wanted:
        turn = share.part + share.parts * counts["turns"]
        counts["turns"] += 1
        for reader in readers:
            score = attack(reader, 500, turn, seconds=0.25)
            counts["texts"] += score.cases
            counts["refused"] += score.refused
            counts[f"texts for {reader.name}"] += score.cases
            result.faults += score.faults[:3]
        share.keep()


BROKEN = {
    "returns too many moves": ("    return count\n", "    return count + 50_000_000\n"),
    "returns fewer than none": ("    return count\n", "    return count - 20\n"),
    "loops": ("    return count\n", "    while count:\n        pass\n    return count\n"),
    "writes outside": ("out[count] = cell", "out[count + 9] = cell"),
    "never passes the turn": ("out[TURN] = 1 - state[TURN]", "out[TURN] = state[TURN]"),
    "loops when drawn": ("    return View(", "    while True:\n        pass\n    return View("),
    "wants 8 GB": ("STATE_SIZE = 9, 10", "STATE_SIZE = 9, 10**9"),
    "kills its process": ("VERSION = 1\n", "import os\nimport signal\n\nVERSION = 1\n"),
}


def broken_games(share: Share, result: Result) -> None:
    """A user's game that lies, loops or crashes, to be trained, played and served."""
    faults = result.faults
    sound = (ROOT / "examples" / "tictactoe.py").read_text(encoding="utf-8")
    with runs_folder() as folder:
        for number, what in share.of(enumerate(BROKEN)):
            result.counts["games"] += 1
            old, new = BROKEN[what]
            text = sound.replace(old, new, 1)
            if what.startswith("kills"):
                kill = "    os.kill(os.getpid(), signal.SIGSEGV)\n"
                text = text.replace("    return grid", kill + "    return grid")
                head = "def view(state, moves):\n"
                text = re.sub(r'(def view\(state, moves\):\n    """.*?"""\n)', r"\1" + kill, text)
                assert kill in text, head
            elif text == sound:
                faults.append(f"{what}: the example has changed; nothing was tried")
            file = folder / "mine.py"
            file.write_text(text, encoding="utf-8")
            toml = f'extends = "hexwar-quick"\ngame.name = "{file}"\nplayer.encoder = "cells"\n'
            (folder / "mine.toml").write_text(toml + 'measure.anchors = ["random"]\n', "utf-8")
            commands = (
                ("tournament", "random", "mcts:rounds=5", "--games", "2", "--game", str(file)),
                ("train", str(folder / "mine.toml"), "--run", "never"),
                ("app", "--no-browser", "--port", str(_free_port()), "--game", str(file)),
            )
            for words in commands if share.long else (commands[number % 3],):
                result.counts["commands"] += 1
                try:
                    done = evoboard(*words)
                except subprocess.TimeoutExpired:
                    faults.append(f"{what}: evoboard {words[0]} did not end")
                    continue
                last = (done.stderr.strip().splitlines() or [""])[-1]
                if done.returncode != 2 or not last.startswith("evoboard: "):
                    faults.append(
                        f"{what}: evoboard {words[0]} ended with {done.returncode} {last}"
                    )


ENGINES = {
    "mute": "error", "hang": "error", "chatter": "error", "crash": "error", "killed": "error",
    "garbage": "move", "flood": "move", "slow": "move", "illegal": "forfeit", "none": "forfeit",
    "silly": "forfeit", "empty": "forfeit", "stubborn": "move", "deserter": "move",
}  # fmt: skip


def hostile_engines(share: Share, result: Result) -> None:
    """Engines that hang, crash, cheat, never stop talking or leave children behind."""
    game = load_game("chess")
    faults = result.faults
    with tempfile.TemporaryDirectory(prefix="evoboard-trust-") as folder:
        pids = Path(folder) / "pids"
        pids.touch()
        for mode in share.of(list(ENGINES) * share.number(1, 5)):
            result.counts["engines"] += 1
            expected = ENGINES[mode]
            command = [sys.executable, "-I", str(TESTS / "fake_engine.py"), mode, str(pids)]
            # Who only talks much or starts late has time for it.
            patience = 60 if expected == "move" else 2
            text = f"uci:{shlex.join(command)},seconds=0.2,patience={patience}"
            player, began = make_player(text, game), time.monotonic()
            try:
                move = player.think(History(game), 1).move
                became = "forfeit" if move < 0 else "move"
            except EvoboardError:
                became = "error"
            player.close()  # type: ignore[attr-defined]
            if became != expected:
                faults.append(f"{mode}: {became} instead of {expected}")
            if time.monotonic() - began > 30:
                faults.append(f"{mode}: it took {time.monotonic() - began:.0f} s")
        time.sleep(0.5)
        left = [pid for pid in pids.read_text().split() if _alive(int(pid))]
        if left or [p for p in Program.running if p.process.poll() is None]:
            faults.append(f"{len(left)} processes were left over")
            for pid in left:
                with suppress(OSError):
                    os.kill(int(pid), signal.SIGKILL)


def _alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


# --- the app -------------------------------------------------------------------------------------


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


def many_players(share: Share, result: Result) -> None:
    """Fifty players at once on the app while a run is trained on all cores."""
    if share.part:
        return
    import visitors

    faults = result.faults
    port, seconds = _free_port(), share.number(45, 600)
    with runs_folder() as folder:
        quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        app = [sys.executable, "-m", "evoboard", "app", "--no-browser", "--port", str(port)]
        settings = ["--set", "generations=100000", "--quiet"]
        train = [sys.executable, "-m", "evoboard", "train", "hexwar-quick", *settings]
        with subprocess.Popen(app, **quiet) as server, subprocess.Popen(train, **quiet) as run:  # type: ignore[call-overload]
            try:
                url = f"http://127.0.0.1:{port}"
                asyncio.run(visitors.opened(url))
                times = asyncio.run(visitors.crowd(url, PLAYERS, seconds))
                if run.poll() is not None or server.poll() is not None:
                    faults.append("training or the app ended before the players left")
            finally:
                run.kill()
                server.kill()
    if times.faults:
        faults.append(f"{len(times.faults)} visits failed: {times.faults[0]}")
    clicks = sorted(times.early_click + times.click)
    if not clicks or clicks[int(0.95 * len(clicks))] > CLICK:
        faults.append("nineteen of twenty clicks were not seen within 150 ms")
    load = f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
    result.told = f"{visitors.summary(times)} ({load})"
    result.counts["seconds"] = seconds


TRIALS = (
    Trial(
        "SIGKILL while training",
        killed_runs,
        "{kills:,} kills, {strategies} strategies",
        "all {runs:,} runs continued and became, row by row, the same as if never killed",
    ),
    Trial(
        "full disk",
        full_disk,
        "{sizes} sizes of disk, {small} too small",
        "one sentence; once there was room the run continued, and nothing was lost",
    ),
    Trial(
        "corrupt database bytes",
        corrupt_bytes,
        "{databases:,} damaged databases",
        "{refused:,} refused in a sentence, {sound:,} unharmed and trained on to the same rows",
    ),
    Trial(
        "damaged log of a killed run",
        damaged_log,
        "{logs:,} damaged logs",
        "every run continued and became the same as if never killed",
    ),
    Trial(
        "changed history",
        changed_history,
        "{histories} changed histories",
        "every one refused in a sentence",
    ),
    Trial(
        "two processes on one run",
        two_processes,
        "{rounds} times two trainers",
        "the second was refused in a sentence, the first continued undisturbed",
    ),
    Trial(
        "jumping clock",
        jumping_clock,
        "{runs} runs, {players} players",
        "the same rows, and every player kept its time",
    ),
    Trial(
        "hostile texts",
        hostile_texts,
        "{texts:,} texts, {readers} readers, {least:,} or more each",
        "{refused:,} refused in a sentence, the others read",
    ),
    Trial(
        "broken games",
        broken_games,
        "{games} games, {commands} commands",
        "each was reported in a sentence at once",
    ),
    Trial(
        "hostile engines",
        hostile_engines,
        "{engines} engines",
        "abandoned, or its game lost, with a sentence; no process was left over",
    ),
    Trial("many players beside training", many_players, "50 players, {seconds} s", "{told}"),
)
HEAD = """# Trust

Faults and hostile inputs, tried for real. `make trust` makes this table in a few minutes; `python
tools/trust.py --long --jobs CORES` tries ten to a thousand times as much. The only acceptable
outcomes are a sentence that says what is wrong, or no effect at all. Not acceptable are a lost
row, a traceback, a process that hangs or is left over, or anything executed that was not meant to
be.

Can the tests themselves be trusted? `make mutations` flips a sign at each of 65 places in rules,
searches, operators, statistics and storage, one at a time, and checks that the tests notice;
`make coverage` shows which lines of Python they run. [The measurements](../MEASUREMENTS.md) have
the results.

Seconds are the total over all processes that shared a trial.

| tried | how often | what happened | as it should | seconds | on |
|---|---|---|---|---|---|
"""


def main() -> int:
    """Try everything that was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--long", action="store_true", help="ten to a thousand times as much")
    parser.add_argument("--jobs", type=int, default=1, metavar="N", help="processes that share it")
    parser.add_argument("--part", default="1/1", metavar="I/N", help="only one of so many parts")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep what came of it")
    parser.add_argument("--merge", type=Path, nargs="+", metavar="FILE", help="add up files kept")
    parser.add_argument("--write", action="store_true", help="put the table into docs/trust.md")
    parser.add_argument("trials", nargs="*", metavar="TRIAL", help="words of the trials' names")
    given = parser.parse_args()
    unknown = [word for word in given.trials if not any(word in each.name for each in TRIALS)]
    if unknown:  # nothing tried must not look like nothing found
        parser.error(
            f"no trial has {unknown[0]!r} in its name: {', '.join(t.name for t in TRIALS)}"
        )
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    part, parts = map(int, given.part.split("/"))
    share = Share(given.long, part - 1, parts)
    results: dict[str, Result] = {}
    if given.save and given.save.exists():
        kept = json.loads(given.save.read_text(encoding="utf-8"))
        results = {name: _result(data) for name, data in kept.items()}
    wrong = False
    for trial in TRIALS:
        if given.trials and not any(word in trial.name for word in given.trials):
            continue
        if sys.stderr.isatty():
            print(f"{trial.name} …", end="\r", file=sys.stderr, flush=True)
        done = results.get(trial.name)
        if given.merge:
            result = merged(trial, given.merge)
        elif done and not done.interrupted:
            result = done
        elif given.jobs > 1:
            result = shared(trial, given.long, given.jobs, given.save)
        else:
            result = tried(trial, share, done, results, given.save)
        if not result.date:  # nobody has tried it
            continue
        results[trial.name] = result
        wrong |= bool(result.faults)
        print(row(trial, result), flush=True)
        for fault in result.faults[:10]:
            print(f"    {fault}", flush=True)
        if given.save:
            save(results, given.save)
        if given.write:
            write(trial, result)
        if result.interrupted and not given.merge:
            return INTERRUPTED
    return 1 if wrong else 0


def tried(
    trial: Trial, share: Share, before: Result | None, results: dict[str, Result], file: Path | None
) -> Result:
    """Return what a share of a trial comes to, or has come to when it was interrupted.

    `before`: what it had come to when it was interrupted before; only hostile texts go on with it.
    """
    result = before if before and "turns" in before.counts else Result()
    began, earlier, next_time = time.perf_counter(), result.seconds, 0.0

    def note() -> None:
        result.seconds = earlier + time.perf_counter() - began
        result.date = datetime.now(UTC).date().isoformat()

    def keep() -> None:
        nonlocal next_time
        note()
        if sys.stderr.isatty():
            print(
                f"{trial.name} … {result.counts['texts']:,}", end="\r", file=sys.stderr, flush=True
            )
        if file and result.seconds >= next_time:
            next_time = result.seconds + 20
            save(results | {trial.name: replace(result, interrupted=True)}, file)

    result.interrupted = False
    try:
        trial.run(replace(share, keep=keep), result)
    except KeyboardInterrupt:
        result.interrupted = True
    note()
    return result


def save(results: dict[str, Result], file: Path) -> None:
    """Keep what was tried: the file is there whole, whenever this process ends."""
    kept = {name: vars(result) for name, result in results.items()}
    new = file.with_name(f"{file.name}.new")
    new.write_text(json.dumps(kept, indent=1), encoding="utf-8")
    new.replace(file)


def shared(trial: Trial, long: bool, jobs: int, file: Path | None) -> Result:
    """Return what a trial comes to that several processes share, with a file of each."""
    with tempfile.TemporaryDirectory(prefix="evoboard-trust-") as folder:
        place = file or Path(folder) / "trust.json"
        files = [place.with_name(f"{place.name}.{part + 1}-{jobs}") for part in range(jobs)]
        processes = []
        for part, each in enumerate(files):
            words = [f"--part={part + 1}/{jobs}", f"--save={each}", *["--long"] * long, trial.name]
            command = [sys.executable, __file__, *words]
            processes.append(subprocess.Popen(command, stdout=subprocess.DEVNULL))
        while any(process.poll() is None for process in processes):
            with suppress(KeyboardInterrupt):  # they have heard it, too, and tell what they tried
                time.sleep(0.2)
        result = merged(trial, [each for each in files if each.exists()])
        failed = [p.returncode for p in processes if p.returncode not in (0, 1, INTERRUPTED)]
        result.faults += [f"one of {jobs} processes ended with {code}" for code in failed]
        return result


def merged(trial: Trial, files: Iterable[Path]) -> Result:
    """Return what all parts of a trial have come to together."""
    result = Result()
    for file in files:
        kept = json.loads(file.read_text(encoding="utf-8"))
        if trial.name in kept:
            result.add(_result(kept[trial.name]))
    return result


def _result(kept: dict[str, Any]) -> Result:
    return Result(**{**kept, "counts": Counter(kept["counts"])})


def row(trial: Trial, result: Result) -> str:
    """Return a trial's row of the table."""
    by_reader = [n for name, n in result.counts.items() if name.startswith("texts for ")]
    numbers = {"told": result.told, "readers": len(by_reader), "least": min(by_reader, default=0)}
    for _, name, *_ in Formatter().parse(trial.tried + trial.happened):
        numbers.setdefault(name or "", result.counts[name or ""])
    good = "no" if result.faults else "yes"
    texts = (text.format(**numbers) for text in (trial.tried, trial.happened))
    cells = (trial.name, *texts, good, f"{result.seconds:,.0f}", result.date)
    return f"| {' | '.join(cells)} |"


def write(trial: Trial, result: Result) -> None:
    """Put a trial's row into the page, where the others stay."""
    rows = _written() | {trial.name: row(trial, result)}
    table = [rows[each.name] for each in TRIALS if each.name in rows]
    PAGE.write_text(HEAD + "\n".join(table) + "\n", encoding="utf-8")


def _written() -> dict[str, str]:
    """Return the rows of the page by trial: those that are not tried now stay."""
    lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.is_file() else []
    cells = {line: line.split(" | ")[0].removeprefix("| ") for line in lines}
    return {name: line for line, name in cells.items() if name in {t.name for t in TRIALS}}


if __name__ == "__main__":
    sys.exit(main())
