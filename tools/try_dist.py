"""Try the files in dist/ as a stranger would: install each in a clean environment and use it there.

    python tools/try_dist.py [--demo]

Each gets a new virtual environment, a new home and an empty PATH but for that environment, so
neither make nor git nor this source is there. `--demo` runs the whole demo, too.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
import venv
from pathlib import Path

ROOT = Path(__file__).parent.parent
TRIES = (
    ("--version",),
    ("show", "kingcapture"),
    ("match", "champion", "random", "--game", "nim:heaps=3/5/7", "--games", "10"),
    ("train", "nim-quick", "--set", "generations=2", "--run", "tried"),
)
DEMO = ("demo", "--no-app")


def main() -> None:
    """Try every file; end with 1 where something fails."""
    files = sorted((ROOT / "dist").glob("evoboard-*"))
    if len(files) != 2:
        sys.exit(f"dist holds {len(files)} files; it must hold a wheel and a source archive.")
    tries = [*TRIES, *([DEMO] if "--demo" in sys.argv else [])]
    for file in files:
        with tempfile.TemporaryDirectory() as folder:
            try_file(file, Path(folder), tries)


def try_file(file: Path, folder: Path, tries: list[tuple[str, ...]]) -> None:
    """Install a file and run the commands; sys.exit where one fails."""
    venv.create(folder / "venv", with_pip=True)
    programs = folder / "venv" / ("Scripts" if os.name == "nt" else "bin")
    kept = {key: value for key, value in os.environ.items() if key.startswith("PIP_")}
    settings = {**kept, "HOME": str(folder), "PATH": str(programs)}
    began = time.monotonic()
    _run([str(programs / "python"), "-m", "pip", "install", "-q", f"{file}[web]"], folder, settings)
    print(f"{file.name}: installed in {time.monotonic() - began:.0f} s")
    for words in tries:
        began = time.monotonic()
        _run([str(programs / "evoboard"), *words], folder, settings)
        print(f"  evoboard {' '.join(words)}: {time.monotonic() - began:.1f} s")


def _run(command: list[str], folder: Path, settings: dict[str, str]) -> None:
    done = subprocess.run(
        command, cwd=folder, env=settings, capture_output=True, text=True, check=False
    )
    if done.returncode:
        sys.exit(f"{' '.join(command)} fails:\n{done.stdout[-2000:]}{done.stderr[-2000:]}")


if __name__ == "__main__":
    main()
