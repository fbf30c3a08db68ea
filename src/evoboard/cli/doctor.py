"""evoboard doctor: what this machine has for evoboard, what is missing, and how to add it."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import shutil
import subprocess
import sys
import tempfile
from typing import NamedTuple

from rich.markup import escape

from evoboard.cli.options import Json
from evoboard.cli.printing import command, print_json, table_console
from evoboard.core.cache import cache_folder
from evoboard.core.wording import counted
from evoboard.store.run_file import runs_folder

ENGINES = ("stockfish", "fairy-stockfish", "scan")
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "firefox")
LITTLE = 2**30  # bytes of free disk below which a long run may not finish


class Finding(NamedTuple):
    """One thing that was looked for: what there is, and the command that adds what is missing."""

    name: str
    ok: bool
    found: str
    add: str = ""


@command(
    "evoboard doctor",
    "evoboard doctor --json",
)
def doctor(as_json: Json = False) -> None:
    """Show what this machine has for evoboard, what is missing, and the command to install it."""
    findings = [
        _python(),
        _package("numba", needed=True),
        _threads(),
        _cache(),
        _disk(),
        _gpu(),
        _package("ray", "cluster"),
        _package("nicegui", "web"),
        _package("onnx", "export"),
        _package("resvg-py", "png"),
        _program("an engine", ENGINES, "apt install stockfish"),
        _program("a browser", BROWSERS, "apt install chromium"),
    ]
    if as_json:
        print_json([finding._asdict() for finding in findings])
        return
    console = table_console()
    for finding in findings:
        mark = "[green]✓[/]" if finding.ok else "[yellow]–[/]"
        console.print(f"{mark} [bold]{finding.name}[/]: {escape(finding.found)}", soft_wrap=True)
        if finding.add:
            console.print(f"    {escape(finding.add)}", soft_wrap=True)


def _python() -> Finding:
    ok = sys.version_info >= (3, 11)
    return Finding("Python", ok, f"{platform.python_version()}, {sys.executable}")


def _package(name: str, extra: str = "", needed: bool = False) -> Finding:
    """Look for a Python package, which an extra of evoboard's installs."""
    try:
        return Finding(name, True, importlib.metadata.version(name))
    except importlib.metadata.PackageNotFoundError:
        what = "missing" if needed else "not installed (optional)"
        wanted = f"'evoboard[{extra}]'" if extra else name
        return Finding(name, False, what, f"pip install {wanted}")


def _threads() -> Finding:
    cores, usable = os.cpu_count() or 1, len(_allowed_cores())
    few = f", of which {usable} may be used" if usable < cores else ""
    return Finding("threads", True, f"{counted(cores, 'core')}{few}")


def _allowed_cores() -> set[int]:
    try:
        return os.sched_getaffinity(0)
    except AttributeError:  # not on this system
        return set(range(os.cpu_count() or 1))


def _cache() -> Finding:
    """Check whether compiled kernels can be kept, and count them."""
    folder = cache_folder()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            pass
    except OSError as error:
        problem = f"{folder} cannot be written ({error.strerror or error}): everything is compiled"
        return Finding(
            "kernel cache", False, f"{problem} again in every process",
            "export EVOBOARD_CACHE=A_FOLDER",
        )  # fmt: skip
    sizes = [path.stat().st_size for path in folder.glob("*.kernel")]
    kernels = counted(len(sizes), "kernel")
    return Finding("kernel cache", True, f"{folder}: {kernels}, {_size(sum(sizes))}")


def _disk() -> Finding:
    folder = runs_folder().absolute()
    while not os.path.exists(folder):  # a Path's own raises where it may not look
        folder = folder.parent
    free = shutil.disk_usage(folder).free
    return Finding("disk", free >= LITTLE, f"{_size(free)} free for runs in {runs_folder()}")


def _gpu() -> Finding:
    """Look for a GPU with its driver, and for what compiles for it."""
    driver = shutil.which("nvidia-smi")
    if driver is None:
        return Finding("GPU", False, "no NVIDIA driver found (optional); games are played by cores")
    query = [driver, "--query-gpu=name,driver_version,memory.total", "--format=csv,noheader"]
    try:
        asked = subprocess.run(query, capture_output=True, text=True, timeout=20, check=False)
    except (OSError, subprocess.TimeoutExpired):
        return Finding("GPU", False, f"{driver} does not answer")
    cards = [line.strip() for line in asked.stdout.splitlines() if line.strip()]
    if asked.returncode or not cards:
        return Finding("GPU", False, "the NVIDIA driver is there, but finds no GPU")
    package = _package("numba-cuda", "cuda")
    found = f"{'; '.join(cards)}; numba-cuda {package.found}"
    return Finding("GPU", package.ok, found, package.add)


def _program(name: str, programs: tuple[str, ...], add: str) -> Finding:
    """Look for any of some programs."""
    # Debian keeps engines outside most people's PATH.
    places = os.pathsep.join((os.environ.get("PATH", ""), "/usr/games"))
    there = [path for one in programs if (path := shutil.which(one, path=places))]
    if there:
        return Finding(name, True, ", ".join(there))
    return Finding(name, False, f"none of {', '.join(programs)} (optional)", add)


def _size(count: int) -> str:
    """Return a number of bytes as people write it."""
    size = float(count)
    for unit in ("bytes", "KB", "MB"):
        if size < 1000:
            return f"{size:.0f} {unit}"
        size /= 1000
    return f"{size:.1f} GB"
