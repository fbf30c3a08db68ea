"""A player as an engine: how soon it is there, how soon it stops, and whether its flag falls."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress

from benchmarks.report import Row
from evoboard.arena.match import Match
from evoboard.games.base import load_game

STOPS, MOVES = 60, 60
COMMAND = [sys.executable, "-m", "evoboard", "engine"]


class Talk:
    """The command `evoboard engine` and a pipe to and from it."""

    def __init__(self, *arguments: str, **environment: str) -> None:
        self.began = time.perf_counter()
        self.process = subprocess.Popen(
            [*COMMAND, *arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            env={**os.environ, **environment},
        )

    def tell(self, line: str) -> None:
        """Send a line."""
        assert self.process.stdin
        self.process.stdin.write(f"{line}\n")
        self.process.stdin.flush()

    def ask(self, line: str, until: str) -> tuple[float, str]:
        """Return how long the line that begins with `until` took to come, and that line."""
        assert self.process.stdout
        began = time.perf_counter()
        self.tell(line)
        while not (answer := self.process.stdout.readline()).startswith(until):
            if not answer:
                raise RuntimeError("the engine has ended")
        return time.perf_counter() - began, answer

    def quit(self) -> None:
        """End the engine."""
        with suppress(BrokenPipeError):
            self.tell("quit")
        self.process.wait()


def start() -> list[Row]:
    """Measure how long it takes to be there, and to be ready, with and without compiled kernels."""
    rows = []
    with tempfile.TemporaryDirectory() as folder:
        for when in ("cold", "warm", "warm again"):
            talk = Talk(EVOBOARD_CACHE=folder)
            talk.ask("uci", "uciok")
            there = time.perf_counter() - talk.began
            ready, _ = talk.ask("isready", "readyok")
            rows.append(Row(f"start to uciok, {when}", there, "s", target=2, lower_is_better=True))
            rows.append(Row(f"uciok to readyok, {when}", ready, "s"))
            # readyok does not wait for compiling, a move does; the next one finds it compiled.
            rows.append(Row(f"a first move, {when}", talk.ask("go depth 1", "bestmove")[0], "s"))
            talk.quit()
    return rows


def answers() -> list[Row]:
    """Measure how soon a stop is answered, and how exactly a move's time is kept."""
    talk = Talk()
    talk.ask("isready", "readyok")
    talk.tell("position startpos moves e2e4 e7e5 g1f3")
    stops, moves = [], []
    for _ in range(STOPS):
        talk.ask("go infinite", "info depth")
        time.sleep(0.03)
        stops.append(1000 * talk.ask("stop", "bestmove")[0])
    for _ in range(MOVES):
        moves.append(1000 * talk.ask("go movetime 100", "bestmove")[0] - 100)
    talk.quit()
    rows = []
    for what, found, most in (("stop", stops, 50), ("movetime 100, overshoot", moves, 25)):
        rows.append(Row(f"{what}, median", statistics.median(found), "ms"))
        rows.append(Row(f"{what}, 95%", sorted(found)[int(0.95 * len(found))], "ms"))
        worst = Row(f"{what}, worst of {len(found)}", max(found), "ms")
        rows.append(Row(worst.what, worst.ours, "ms", target=most, lower_is_better=True))
    return rows


def bullet() -> list[Row]:
    """Play the champion against itself by the clock; what is left on it at worst."""
    rows = []
    for seconds, increment in ((60.0, 0.0), (1.0, 0.1)):
        talk, match, clocks = Talk(), Match(load_game("chess")), [seconds, seconds]
        talk.ask("isready", "readyok")
        texts: list[str] = []
        least = seconds
        while not match.over and len(texts) < 400:
            side = len(texts) % 2
            talk.tell(f"position startpos moves {' '.join(texts)}")
            told = " ".join(f"{c}time {round(1000 * t)}" for c, t in zip("wb", clocks, strict=True))
            plus = round(1000 * increment)
            spent, answer = talk.ask(f"go {told} winc {plus} binc {plus}", "bestmove")
            clocks[side] -= spent
            least = min(least, clocks[side])
            clocks[side] += increment
            texts.append(answer.split()[1])
            match.play(match.game.parse_move(match.state, texts[-1]))
        talk.quit()
        name = f"{seconds:g} s + {increment:g} s, {len(texts)} plies, least left"
        rows.append(Row(name, least, "s", target=0.001))
    return rows


GROUPS = {"engines: start": start, "engines: answers": answers, "engines: bullet": bullet}
