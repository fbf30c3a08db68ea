"""Fingerprints of what evoboard computes: run it before a rebuild and after, and compare.

    python tools/fingerprints.py FOLDER [SOURCE]      writes FOLDER/*.txt, one file a thing
    diff -r BEFORE AFTER                              nothing, or what has changed

Only commands are used, so that it reads any version; SOURCE is another version's `src` folder.
Every file is text that can be compared by eye: rows of runs, results of matches, thoughts, exports.
"""

from __future__ import annotations

import hashlib
import json
import os
import sqlite3
import subprocess
import sys
import zlib
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

# A short run of every strategy and every game, with a name for each.
RUNS = {
    "neat-kingcapture": ["kingcapture-quick", "generations=6"],
    "neat-paper-a": ["kingcapture-neat-16", "generations=4", "search.depth=1"],
    "neat-2002": ["kingcapture-neat-2002", "generations=4"],
    "neat-hexwar": ["hexwar-quick", "generations=5"],
    "neat-aggressive": ["hexwar-aggressive", "generations=2", "strategy.population=12"],
    "series": ["kingcapture-series-tt1", "generations=4"],
    "layered-direct": ["nim-quick", "generations=8"],
    "layered-onehot": ["nim-1-8-onehot", "generations=5"],
    "layered-stack": ["nim-stack-8-shares", "generations=5"],
    "heaps": ["nim-heaps-3-5-7", "generations=4"],
    "morphological": ["chess-morphological", "generations=2", "strategy.population=8"],
    "draughts-ga": ["draughts-1ply", "generations=2", "search.rounds=60"],
    "blondie-draughts": ["draughts-quick", "generations=2"],
    "blondie-chess": ["chess-quick", "generations=1"],
}
MATCHES = {
    "kingcapture": ["match", "champion", "material:depth=2", "--game", "kingcapture"],
    "kingcapture-mcts": ["match", "mcts:rounds=200", "random", "--game", "kingcapture"],
    "pvs": ["match", "champion:search=pvs,depth=4,quiescence=4", "material:depth=3",
            "--game", "kingcapture"],
    "draughts": ["match", "champion:depth=3", "material:depth=3,quiescence=4",
                 "--game", "draughts"],
    "chess": ["match", "champion:depth=2", "linear", "--game", "chess"],
    "hexwar": ["match", "champion:depth=2", "scripted:rusher", "--game", "hexwar"],
    "nim": ["match", "champion", "perfect", "--game", "nim:heaps=3/5/7"],
    "connectfour": ["match", "mcts:rounds=100", "random", "--game", "examples/connectfour.py"],
    "tournament": ["tournament", "champion", "material", "random", "--game", "kingcapture"],
}  # fmt: skip
THOUGHTS = {
    "chess": ["champion:depth=3", "chess"],
    "chess-pvs": ["champion:search=pvs,depth=4,quiescence=2", "chess"],
    "draughts": ["champion:depth=5", "draughts"],
    "kingcapture": ["champion:depth=4", "kingcapture"],
    "hexwar": ["champion:depth=3", "hexwar"],
    "nim": ["perfect", "nim:heaps=3/5/7"],
    "mcts": ["mcts:rounds=500", "connectfour"],
    "material-mcts": ["material:search=mcts,rounds=300", "chess"],
}
EXPORTS = {"kingcapture": "py", "draughts": "json", "chess": "dot", "hexwar": "py", "nim": "json"}
CLOCKS = ("timings", "sessions", "chain")  # a chain begins with when a run was made
UNSEEDED = ("name", "made", "program")
SECONDS = ("seconds", "elapsed", "per_move")


def main() -> None:
    """Write everything into the folder that is named."""
    folder = Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    source = sys.argv[2] if len(sys.argv) > 2 else str(Path(__file__).parent.parent / "src")
    runs = folder.resolve() / "runs"
    environment = {**os.environ, "PYTHONPATH": source, "EVOBOARD_RUNS": str(runs)}

    def run(*words: str) -> str:
        done = subprocess.run(
            [sys.executable, "-m", "evoboard", *words],
            env=environment, capture_output=True, text=True, check=False,
        )  # fmt: skip
        return done.stdout if done.returncode == 0 else f"FAILED {done.stdout}{done.stderr}"

    for name, (experiment, *changes) in RUNS.items():
        sets = [word for change in changes for word in ("--set", change)]
        told = run("train", experiment, *sets, "--run", name, "--quiet")
        database = runs / name / "run.db"
        text = "\n".join(_rows(database)) if database.is_file() else told
        _write(folder, f"run-{name}", text)
    # Players know the draw rules since they have the setting; compared are those who do not look.
    knows = '"draws"' in run("players", "--json")
    for name, words in MATCHES.items():
        words = [_blind(word) if knows else word for word in words]
        _write(folder, f"match-{name}", _plain(run(*words, "--games", "8", "--json")))
    for name, (player, game) in THOUGHTS.items():
        player = _blind(player) if knows else player
        where = f"examples/{game}.py" if game == "connectfour" else game
        _write(folder, f"analyse-{name}", _plain(run("analyse", player, "--game", where, "--json")))
    for game, ending in EXPORTS.items():
        path = folder / f"export-{game}.{ending}"
        told = run("export", "champion", "--game", game, "--out", str(path))
        if not path.is_file():
            _write(folder, f"export-{game}", told)
    rated = run("rate", "neat-kingcapture", "--json")
    _write(folder, "rate", _plain(rated))
    _write(folder, "grade", _plain(run("grade", "run:neat-kingcapture@best", "--json")))


def _blind(word: str) -> str:
    """Return a player's text with the draw rules switched off, any other word as it is."""
    if word.split(":")[0] not in ("champion", "material", "mcts", "linear"):
        return word
    return f"{word}{',' if ':' in word else ':'}draws=0"


def _write(folder: Path, name: str, text: str) -> None:
    print(f"{name}: {'FAILED' if text.startswith('FAILED') else len(text)}", flush=True)
    (folder / f"{name}.txt").write_text(text + "\n", encoding="utf-8")


def _rows(database: Path) -> Iterator[str]:
    """Yield every row that the seed decides; blobs as what they hold, or as a hash."""
    with closing(sqlite3.connect(database)) as connection:
        tables = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table'")
        for (table,) in sorted(tables.fetchall()):
            if table in CLOCKS or table == "checkpoint":
                continue
            rows = connection.execute(f"SELECT * FROM {table}").fetchall()
            for row in sorted(map(_row_text, rows)):
                if table != "meta" or row.split("|")[0] not in UNSEEDED:
                    yield f"{table}: {row}"


def _row_text(row: tuple[object, ...]) -> str:
    return "|".join(_blob(cell) if isinstance(cell, bytes) else str(cell) for cell in row)


def _blob(cell: bytes) -> str:
    with suppress(zlib.error):
        cell = zlib.decompress(cell)
    return hashlib.blake2b(cell, digest_size=12).hexdigest()


def _plain(text: str) -> str:
    """Return JSON without what a clock decides, one entry a line."""
    try:
        return json.dumps(_timeless(json.loads(text)), indent=1, sort_keys=True)
    except ValueError:
        return text


def _timeless(data: object) -> object:
    if isinstance(data, dict):
        return {k: _timeless(v) for k, v in data.items() if not k.startswith(SECONDS)}
    return [_timeless(part) for part in data] if isinstance(data, list) else data


if __name__ == "__main__":
    main()
