"""Chess move generation of the peers, in perft leaves per second on one core.

Translated: nothing. Both peers count the last ply in bulk (the number of legal moves, none of
them made), so a fair figure of ours must do so too. All of `depth`'s work is in the clock;
process start, hash tables and the opening handshake are not.
"""

import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import IO

import chess

STOCKFISH = "/usr/games/stockfish"


def stockfish_perft(
    depth: int = 6, fen: str = chess.STARTING_FEN, repeats: int = 3, path: str = STOCKFISH
) -> float:
    """Return Stockfish's ``go perft`` leaves per second: one thread, best of `repeats`."""
    with _engine(path) as (send, answers):
        for line in ("uci", "setoption name Threads value 1", f"position fen {fen}", "isready"):
            _say(send, line)
        _wait(answers, "readyok")
        return max(_timed_perft(send, answers, depth) for _ in range(repeats))


def python_chess_perft(depth: int = 4, fen: str = chess.STARTING_FEN, repeats: int = 3) -> float:
    """Return python-chess's leaves per second, the last ply in bulk: best of `repeats`."""
    board = chess.Board(fen)
    best = 0.0
    for _ in range(repeats):
        start = time.perf_counter()
        leaves = _leaves(board, depth)
        best = max(best, leaves / (time.perf_counter() - start))
    return best


def _leaves(board: chess.Board, depth: int) -> int:
    if depth == 1:
        return board.legal_moves.count()
    total = 0
    for move in board.legal_moves:
        board.push(move)
        total += _leaves(board, depth - 1)
        board.pop()
    return total


@contextmanager
def _engine(path: str) -> Iterator[tuple[IO[str], IO[str]]]:
    """Run a UCI engine; it quits when the block is left."""
    with subprocess.Popen(
        [path], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1
    ) as engine:
        assert engine.stdin is not None
        assert engine.stdout is not None
        try:
            yield engine.stdin, engine.stdout
            _say(engine.stdin, "quit")
        except BaseException:
            engine.kill()
            raise


def _timed_perft(send: IO[str], answers: IO[str], depth: int) -> float:
    start = time.perf_counter()
    _say(send, f"go perft {depth}")
    leaves = int(_wait(answers, "Nodes searched:").split(":")[1])
    return leaves / (time.perf_counter() - start)


def _say(send: IO[str], line: str) -> None:
    send.write(line + "\n")
    send.flush()


def _wait(answers: IO[str], prefix: str) -> str:
    """Return the next line that begins with `prefix`."""
    for line in answers:
        if line.startswith(prefix):
            return line
    raise RuntimeError(f"the engine ended before it said {prefix!r}")
