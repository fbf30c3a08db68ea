"""How much of the Python code the tests run: `make coverage`.

    python tools/coverage_report.py [TEST…]      runs tests, all unless named, then reports
    python tools/coverage_report.py --more …     adds to what earlier runs have left
    python tools/coverage_report.py --report     only reports on it

Whatever else is named goes to pytest, such as -k WORD.
Kernels are left out: machine code cannot be watched line by line, and what they compute is compared
with other programs and slow versions instead. A kernel is whatever function the linker has compiled
while the tests ran: this file is also the pytest plugin that notes them. What runs in processes
that tests start counts, and so do threads and forks; what a killed process did does not.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent
SOURCE = ROOT / "src" / "evoboard"
KERNELS = ".coverage-kernels"
WANTED = 0.90
COVERAGE = ("-m", "coverage", "run")
ALL = ("-n", "3", "--dist", "loadfile", "--no-loadscope-reorder")  # as `make test` runs them
_compiled: set[tuple[str, int, int]] = set()


# --- the plugin ---------------------------------------------------------------------------------


def pytest_configure(config: Any) -> None:
    """Note every function that is compiled from now on."""
    from evoboard.core import link

    plain = link._Linker.function

    def function(linker: Any, function: Any) -> Any:
        if linker.target != "python":
            code = function.__code__
            last = max(line for *_, line in code.co_lines() if line is not None)
            _compiled.add((code.co_filename, code.co_firstlineno, last))
        return plain(linker, function)

    link._Linker.function = function  # type: ignore[method-assign]


def pytest_collection_modifyitems(config: Any, items: list[Any]) -> None:
    """Leave out the tests of what is imported, for coverage imports more, and of a process of
    another user, who may not write what coverage has seen."""
    unfit = ("comes_at_once", "may_not_be_written")
    own = [item for item in items if any(word in item.name for word in unfit)]
    config.hook.pytest_deselected(items=own)
    items[:] = [item for item in items if item not in own]


def pytest_sessionfinish() -> None:
    """Leave what was compiled for the report."""
    path = ROOT / f"{KERNELS}.{os.getpid()}.json"
    path.write_text(json.dumps(sorted(_compiled)), encoding="utf-8")


# --- the report ---------------------------------------------------------------------------------


def main() -> int:
    """Run the tests that were asked for, and report."""
    tests = [word for word in sys.argv[1:] if word not in ("--report", "--more")]
    failed = 0
    if "--report" not in sys.argv:
        if "--more" not in sys.argv:
            for old in [*ROOT.glob(".coverage.*"), *ROOT.glob(f"{KERNELS}.*")]:
                old.unlink()
        path = [str(ROOT / "tools"), str(ROOT / "src")]
        path += filter(None, [os.environ.get("PYTHONPATH")])
        settings = {**os.environ, "PYTHONPATH": os.pathsep.join(path)}
        require_children(settings)
        command = [*COVERAGE, "-m", "pytest", "-p", "coverage_report", *(tests or ALL)]
        done = subprocess.run([sys.executable, *command], cwd=ROOT, env=settings, check=False)
        failed = done.returncode
    return report() or failed


def require_children(settings: dict[str, str]) -> None:
    """End with a sentence where coverage does not see the processes that another one starts.

    It is told of them by a file in site-packages, which only an installation puts there.
    """
    with tempfile.TemporaryDirectory() as folder:
        child = [sys.executable, "-c", "import evoboard.core.version"]
        code = Path(folder) / "code.py"
        code.write_text(f"import subprocess\nsubprocess.run({child})\n", encoding="utf-8")
        words = [*COVERAGE, f"--data-file={folder}/c", str(code)]
        subprocess.run([sys.executable, *words], cwd=ROOT, env=settings, check=True)
        if len(list(Path(folder).glob("c.*"))) < 2:
            sys.exit("coverage does not see child processes; install it into this environment.")


def report() -> int:
    """Print every file's share of lines that were run, the least covered first."""
    from coverage import Coverage

    os.chdir(ROOT)
    kernels: dict[str, set[int]] = {}
    for file in ROOT.glob(f"{KERNELS}.*"):
        for name, first, last in json.loads(file.read_text(encoding="utf-8")):
            kernels.setdefault(name, set()).update(range(first, last + 1))
    measured = Coverage(config_file=str(ROOT / "pyproject.toml"))
    measured.combine(keep=True)
    rows, all_lines, all_missed, left_out = [], 0, 0, 0
    for path in sorted(SOURCE.rglob("*.py")):
        _, lines, _, missed, _ = measured.analysis2(str(path))
        compiled = kernels.get(str(path), set())
        left_out += len(compiled & set(lines))
        lines, missed = ([n for n in found if n not in compiled] for found in (lines, missed))
        if lines:
            share = 1 - len(missed) / len(lines)
            rows.append((share, len(missed), path.relative_to(SOURCE), missed))
        all_lines, all_missed = all_lines + len(lines), all_missed + len(missed)
    for share, count, name, missed in sorted(rows):
        if count:
            print(f"{share:6.1%}  {count:4} missed  {name}  {_ranges(missed)}")
    share = 1 - all_missed / all_lines
    print(f"\n{share:.1%} of {all_lines:,} lines in {len(rows)} files were run; ", end="")
    print(f"{left_out:,} lines of kernels are not counted.")
    return 0 if share >= WANTED else 1


def _ranges(lines: list[int]) -> str:
    """Return line numbers as 3-5, 8."""
    parts: list[list[int]] = []
    for line in lines:
        if parts and line == parts[-1][1] + 1:
            parts[-1][1] = line
        else:
            parts.append([line, line])
    return ", ".join(f"{a}-{b}" if a < b else str(a) for a, b in parts)


if __name__ == "__main__":
    sys.exit(main())
