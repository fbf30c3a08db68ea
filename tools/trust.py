"""Faults and hostile inputs, tried for real, and what came of them: `make trust`.

    python tools/trust.py [--long] [--write] [TRIAL…]

Prints a table: what was tried, how often, what happened, and whether that is what may happen:
nothing lost, nothing executed, nothing hung. It takes some minutes; `--long` takes hours and tries
ten to a thousand times as much. `--write` puts its rows into docs/trust.md. TRIAL chooses trials by
words of their names.
"""

from __future__ import annotations

import argparse
import asyncio
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
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path

ROOT = Path(__file__).parent.parent
TESTS = ROOT / "tests"
PAGE = ROOT / "docs" / "trust.md"
sys.path[:0] = [str(ROOT / "src"), str(TESTS)]
os.environ["PYTHONPATH"] = os.pathsep.join(sys.path[:2])

from compare_runs import differences, same_run  # noqa: E402
from evoboard.core.errors import EvoboardError  # noqa: E402
from evoboard.evolution.base import strategy_names  # noqa: E402
from evoboard.games.base import load_game  # noqa: E402
from evoboard.games.history import History  # noqa: E402
from evoboard.players.base import make_player  # noqa: E402
from evoboard.players.program import Program  # noqa: E402
from evoboard.runs.runner import Listener, resume_run, start_run  # noqa: E402
from evoboard.store.run_file import RunError  # noqa: E402
from fake_trainer import FakeTrainer, fake_experiment  # noqa: E402
from fuzzers import attack, targets  # noqa: E402

CLICK = 0.150  # seconds within which nineteen of twenty clicks shall be seen
RECORD = {"games_every": 4, "genomes_every": 3}


@dataclass
class Result:
    """What a trial has come to; `faults` are what may not happen, in sentences."""

    tried: str
    happened: str
    faults: list[str]


@dataclass(frozen=True)
class Trial:
    """One kind of fault: its name, and what tries it; it gets whether there is much time."""

    name: str
    run: Callable[[bool], Result]


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

EXPERIMENT = """generations = 40
game.name = "nim:heaps=2/3"
player.encoder = "heaps"
search.name = "alphabeta"
strategy.name = "{}"
champion = {{ candidates = 2, openings = 2, finalists = 2, final_openings = 2 }}
measure = {{ every = 10, anchors = ["random"], games = 4 }}
record = {{ checkpoint_every = 2, games_every = 5 }}
"""


def killed_runs(long: bool) -> Result:
    """SIGKILL at random moments, over all strategies; then to the end, row by row the same."""
    rng, kills, faults, slow = random.Random(1), 0, [], []
    names = strategy_names()
    each = 1000 // len(names) + 1 if long else 2
    for name in names:
        with runs_folder() as folder:
            file = folder / "experiment.toml"
            file.write_text(EXPERIMENT.format(name), encoding="utf-8")
            _, told = training("plain", "--experiment", file).communicate()
            if told:
                faults.append(f"{name} cannot be trained: {told.strip().splitlines()[-1]}")
                continue
            for number in range(each):
                if number and number % 10 == 0:  # a new one, before it is complete
                    slow += _compare(folder, name)
                    shutil.rmtree(folder / "one")
                process = training("one", "--experiment", file)
                for line in process.stdout or ():
                    if line.startswith(("stored", "ended")):
                        break
                time.sleep(rng.uniform(0.0, 0.05))
                process.kill()
                process.communicate()
                kills += 1
            slow += _compare(folder, name)
    faults += slow
    return Result(
        f"{kills} kills, {len(names)} strategies",
        "every run went on and became, row by row, the run that nobody had killed",
        faults,
    )


def _compare(folder: Path, name: str) -> list[str]:
    """Train a killed run to its end and return how it differs from the other."""
    file = folder / "experiment.toml"
    _, told = training("one", "--experiment", file).communicate()
    if told:
        return [f"{name}: {told.strip().splitlines()[-1]}"]
    return [f"{name}: {found}" for found in differences(folder / "plain", folder / "one", most=2)]


def full_disk(long: bool) -> Result:
    """A disk that is full in the middle; then there is room again."""
    faults, stopped = [], 0
    sizes = [100_000 + 2_000_000 // (i + 2) for i in range(60 if long else 6)]
    with runs_folder() as folder:
        training("plain", "--generations", 60).communicate()
        for size in sizes:
            shutil.rmtree(folder / "one", ignore_errors=True)
            _, told = training("one", "--generations", 60, "--largest-file", size).communicate()
            if not re.fullmatch(r"(RunError: .*\n)?", told):
                faults.append(f"{size} bytes: {told.strip().splitlines()[-1]}")
            stopped += bool(told)
            training("one", "--generations", 60).communicate()
            faults += differences(folder / "plain", folder / "one", most=1)
    return Result(
        f"{len(sizes)} sizes of disk, {stopped} too small",
        "one sentence; with room again the run went on, and nothing was lost",
        faults,
    )


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


def corrupt_bytes(long: bool) -> Result:
    """Bytes anywhere in a run's database replaced; whatever is trained on must be as it was."""
    rng, cases, faults = random.Random(2), 10_000 if long else 250, []
    became: Counter[str] = Counter()
    with runs_folder() as folder:
        sound, place = _half_done(folder), folder / "one" / "run.db"
        for number in range(cases):
            for file in place.parent.glob("run.db-*"):
                file.unlink()
            data = bytearray(sound)
            for _ in range(rng.randint(1, 8)):
                data[rng.randrange(len(data))] = rng.randrange(256)
            if number % 20 == 0:
                del data[rng.randrange(len(data)) :]
            place.write_bytes(data)
            try:
                resume_run("one", make_trainer=FakeTrainer)  # type: ignore[arg-type]
            except RunError as error:
                became["refused"] += 1
                if len(str(error)) > 500 or "\n" in str(error):
                    faults.append(f"case {number}: {str(error)[:200]}")
            except Exception as error:
                faults.append(f"case {number}: {type(error).__name__}: {str(error)[:200]}")
            else:
                became["trained on"] += 1
                if not same_run(folder / "plain", folder / "one"):
                    faults.append(f"case {number}: trained on over damage")
            shutil.rmtree(place.parent / "stop", ignore_errors=True)
    told = f"{became['refused']} refused in a sentence, {became['trained on']} not harmed"
    return Result(f"{cases:,} damaged databases", f"{told} and trained on to the same rows", faults)


def changed_history(long: bool) -> Result:
    """One stored number changed to another that is as good; a run is not trained on over that."""
    rng, cases, faults = random.Random(3), 500 if long else 40, []
    where = {
        "individuals": "fitness", "generations": "champion_slot", "games": "result",
        "species": "size", "measurements": "wins", "lengths": "games",
    }  # fmt: skip
    with runs_folder() as folder:
        sound, place = _half_done(folder), folder / "one" / "run.db"
        for number in range(cases):
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
            try:
                resume_run("one", make_trainer=FakeTrainer)  # type: ignore[arg-type]
                faults.append(f"case {number}: {table} was changed and the run trained on")
            except RunError:
                pass
    return Result(f"{cases} changed histories", "every one refused in a sentence", faults)


def two_processes(long: bool) -> Result:
    """Two trainers on one run at the same time."""
    faults, rounds = [], 20 if long else 3
    with runs_folder() as folder:
        training("plain", "--generations", 30).communicate()
        for _ in range(rounds):
            shutil.rmtree(folder / "one", ignore_errors=True)
            first = training("one", "--generations", 30, "--pause", 0.4)
            for line in first.stdout or ():
                if line.startswith("stored"):
                    break
            second = training("one", "--generations", 30)
            _, told = second.communicate()
            if second.returncode != 1 or "is being trained" not in told:
                faults.append(f"the second one was not refused: {told.strip()[:200]}")
            first.communicate()
            faults += differences(folder / "plain", folder / "one", most=1)
    return Result(
        f"{rounds} times two trainers",
        "the second was refused in a sentence, the first went on undisturbed",
        faults,
    )


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


def jumping_clock(long: bool) -> Result:
    """The clock jumps by days and decades while a run is trained and players think."""
    faults, rounds = [], 20 if long else 2
    with runs_folder() as folder:
        training("plain", "--generations", 40).communicate()
        for _ in range(rounds):
            shutil.rmtree(folder / "one", ignore_errors=True)
            script = [str(TESTS / "killed_run.py"), "one", "--generations", "40"]
            command = [sys.executable, "-c", JUMPY + TRAINS, *script]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                faults.append(done.stderr.strip()[-200:])
            else:
                faults += differences(folder / "plain", folder / "one", most=1)
        players = ["material:seconds=0.2", "champion:seconds=0.2", "mcts:seconds=0.2"]
        command = [sys.executable, "-c", JUMPY + THINKS, *players]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        took = [float(line) for line in done.stdout.split()]
        if len(took) != len(players) or max(took) > 2:
            faults.append(f"thinking for 0.2 s took {took} {done.stderr.strip()[-200:]}")
    return Result(
        f"{rounds} runs, {len(players)} players",
        "the same rows, and every player kept its time",
        faults,
    )


# --- strangers' texts, games and programs --------------------------------------------------------


def hostile_texts(long: bool) -> Result:
    """Mutated texts for every reader, as many as there is time for each."""
    readers, faults, cases, refused = targets(), [], 0, 0
    wanted, seconds = (10_000_000, 7200.0) if long else (60_000, 60.0)
    for number, reader in enumerate(readers):
        share = wanted // len(readers)
        began, seed = time.perf_counter(), 0
        while share > 0 and time.perf_counter() - began < seconds / len(readers):
            score = attack(reader, min(share, 500), seed := seed + 1)
            share -= score.cases
            cases, refused = cases + score.cases, refused + score.refused
            faults += score.faults[:3]
        readers[number] = reader
    told = f"{refused:,} refused in a sentence, the others read"
    return Result(f"{cases:,} texts, {len(readers)} readers", told, faults)


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


def broken_games(long: bool) -> Result:
    """A user's game that lies, loops or crashes, to be trained, played and served."""
    faults, number = [], 0
    sound = (ROOT / "examples" / "tictactoe.py").read_text(encoding="utf-8")
    with runs_folder() as folder:
        for what, (old, new) in BROKEN.items():
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
            for words in commands if long else (commands[number % 3],):
                number += 1
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
    return Result(
        f"{len(BROKEN)} games, {number} commands", "each was named in a sentence at once", faults
    )


ENGINES = {
    "mute": "error", "hang": "error", "chatter": "error", "crash": "error", "killed": "error",
    "garbage": "move", "flood": "move", "slow": "move", "illegal": "forfeit", "none": "forfeit",
    "silly": "forfeit", "empty": "forfeit", "stubborn": "move", "deserter": "move",
}  # fmt: skip


def hostile_engines(long: bool) -> Result:
    """Engines that hang, crash, cheat, never stop talking or leave children behind."""
    faults, game = [], load_game("chess")
    rounds = 5 if long else 1
    with tempfile.TemporaryDirectory(prefix="evoboard-trust-") as folder:
        pids = Path(folder) / "pids"
        for mode, expected in list(ENGINES.items()) * rounds:
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
    return Result(
        f"{len(ENGINES) * rounds} engines",
        "given up, or its game lost, in a sentence; no process was left over",
        faults,
    )


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


def many_players(long: bool) -> Result:
    """Fifty players at once on the app while a run is trained on all cores."""
    import visitors

    faults: list[str] = []
    port, seconds = _free_port(), 600.0 if long else 45.0
    with runs_folder() as folder:
        quiet = {"cwd": folder, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
        app = [sys.executable, "-m", "evoboard", "app", "--no-browser", "--port", str(port)]
        settings = ["--set", "generations=100000", "--quiet"]
        train = [sys.executable, "-m", "evoboard", "train", "hexwar-quick", *settings]
        with subprocess.Popen(app, **quiet) as server, subprocess.Popen(train, **quiet) as run:  # type: ignore[call-overload]
            try:
                url = f"http://127.0.0.1:{port}"
                asyncio.run(visitors.opened(url))
                times = asyncio.run(visitors.crowd(url, 50, seconds))
            finally:
                run.kill()
                server.kill()
    if times.faults:
        faults.append(f"{len(times.faults)} visits failed: {times.faults[0]}")
    clicks = sorted(times.click)
    if not clicks or clicks[int(0.95 * len(clicks))] > CLICK:
        faults.append("nineteen of twenty clicks were not seen within 150 ms")
    load = f"load {os.getloadavg()[0]:.0f} on {os.cpu_count()} cores"
    return Result(f"50 players, {seconds:.0f} s", f"{visitors.told(times)} ({load})", faults)


TRIALS = (
    Trial("SIGKILL while training", killed_runs),
    Trial("full disk", full_disk),
    Trial("corrupt database bytes", corrupt_bytes),
    Trial("changed history", changed_history),
    Trial("two processes on one run", two_processes),
    Trial("jumping clock", jumping_clock),
    Trial("hostile texts", hostile_texts),
    Trial("broken games", broken_games),
    Trial("hostile engines", hostile_engines),
    Trial("many players beside training", many_players),
)
HEAD = """# Trust

Faults and hostile inputs, tried for real. `make trust` makes this table in some minutes,
`python tools/trust.py --long` tries ten to a thousand times as much. What may happen: a sentence
that says what is wrong, or nothing at all. What may not: a lost row, a traceback, a process that
hangs or is left over, anything executed that was not meant to be.

Whether the tests themselves can be trusted: `make mutations` changes a sign at one of 62 places of
rules, searches, operators, statistics and storage, and looks whether they notice; `make coverage`
tells which lines of Python they run. What came of it is in [the measurements](../MEASUREMENTS.md).

| tried | how often | what happened | as it should | seconds | on |
|---|---|---|---|---|---|
"""


def main() -> int:
    """Try everything that was asked for."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--long", action="store_true", help="for hours instead of minutes")
    parser.add_argument("--write", action="store_true", help="put the table into docs/trust.md")
    parser.add_argument("trials", nargs="*", metavar="TRIAL", help="words of the trials' names")
    given = parser.parse_args()
    rows, wrong = _written(), []
    for trial in TRIALS:
        if given.trials and not any(word in trial.name for word in given.trials):
            continue
        began = time.perf_counter()
        result = trial.run(given.long)
        took = time.perf_counter() - began
        good = "no" if result.faults else "yes"
        date = datetime.now(UTC).date().isoformat()
        cells = (trial.name, result.tried, result.happened, good, f"{took:.0f}", date)
        rows[trial.name] = f"| {' | '.join(cells)} |"
        print(rows[trial.name], flush=True)
        for fault in result.faults[:10]:
            print(f"    {fault}", flush=True)
        wrong += result.faults
        if given.write:
            table = [rows[each.name] for each in TRIALS if each.name in rows]
            PAGE.write_text(HEAD + "\n".join(table) + "\n", encoding="utf-8")
    return 1 if wrong else 0


def _written() -> dict[str, str]:
    """Return the rows of the page by trial: those that are not tried now stay."""
    lines = PAGE.read_text(encoding="utf-8").splitlines() if PAGE.is_file() else []
    cells = {line: line.split(" | ")[0].removeprefix("| ") for line in lines}
    return {name: line for line, name in cells.items() if name in {t.name for t in TRIALS}}


if __name__ == "__main__":
    sys.exit(main())
