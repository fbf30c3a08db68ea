"""Find a part by its module's name, or in a user's own file; there is no list to edit."""

from __future__ import annotations

import hashlib
import importlib
import importlib.util
import json
import os
import pkgutil
import sys
import traceback
import types
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from evoboard.core.errors import NotFound, PartError, in_one_line, quoted, unknown

TRUSTED = "EVOBOARD_FILES"  # the files that may be loaded; where it is not set: any


def trust_only(files: Iterable[str | Path]) -> None:
    """Load no other files from now on, here and in processes that are started here.

    Parts are programs, and a server gets their names from visitors.
    """
    hand_down(TRUSTED, (str(Path(file).resolve()) for file in files))


def _is_trusted(path: Path) -> bool:
    files = handed_down(TRUSTED)
    return files is None or str(_real(path)) in files


def find(kind: str, package: str, name: str, needs: str) -> types.ModuleType:
    """Return the part called `name`: a module of `package`, or a path to a Python file.

    `needs` is an attribute that tells parts of this kind from the package's other modules.
    """
    if is_path(name):
        return load_file(kind, Path(name))
    # No error may come from asking for a strange name: importlib rejects some outright.
    if name.isidentifier() and importlib.util.find_spec(f"{package}.{name}"):
        module = importlib.import_module(f"{package}.{name}")
        if hasattr(module, needs):
            return module
    beside = f"{name}.py" if is_file(Path(f"{name}.py")) else "FILE.py"
    raise NotFound(
        unknown(kind, name, names(package, needs))
        + f" Your own {kind} is named by its file: {beside}."
    )


def is_path(name: str) -> bool:
    """Tell whether a part is named by its file."""
    return name.endswith(".py") or "/" in name or "\\" in name


def names(package: str, needs: str) -> list[str]:
    """Return the names of all parts in `package`, sorted."""
    folder = importlib.import_module(package)
    found = (module.name for module in pkgutil.iter_modules(folder.__path__))
    return sorted(n for n in found if hasattr(importlib.import_module(f"{package}.{n}"), needs))


def load_file(kind: str, path: Path) -> types.ModuleType:
    """Return the module in a user's file; its name is the file's, and it shadows nothing."""
    if not _is_trusted(path):
        raise NotFound(
            f"{quoted(path.name)} is a Python file that this app was not started with; start it "
            f"with --{'game' if kind == 'game' else 'part'} and the file, if it is yours."
        )
    if not is_file(path) and not is_file(path.parent, folder=True):
        raise NotFound(f"there is no file {shown(path)}; its folder does not exist either.")
    if is_file(path, folder=True):
        raise NotFound(f"{path} is a folder; name a {kind} file in it, such as {path / 'FILE.py'}.")
    if not is_file(path):
        nearby = [p.name for p in sorted(path.parent.glob("*.py"))]
        hint = unknown("file", path.name, nearby).split("; ", 1)[1]
        if not nearby:
            hint = f"there is no Python file in {path.parent.resolve()}."
        raise NotFound(f"there is no file {shown(path)}; {hint}")
    # A module of its own for every load, so that an edited file is never mistaken for its older
    # self.
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    try:
        source = path.read_text(encoding="utf-8-sig")
        code = compile(source, str(path), "exec", dont_inherit=True)
        with _importable(module):
            exec(code, module.__dict__)
    except SyntaxError as error:
        where = f"{path}, line {error.lineno}" if error.lineno else str(path)
        raise PartError(f"{where}: {error.msg}; fix the syntax of this {kind} file.") from error
    except UnicodeDecodeError as error:
        raise PartError(f"{path} is not UTF-8 text; is it really a {kind} file?") from error
    except OSError as error:
        raise PartError(f"{path} cannot be read: {error.strerror}.") from error
    except (Exception, SystemExit) as error:
        raise PartError(
            f"{path}, line {line_of(error, path)}: {in_one_line(error)}; "
            f"this {kind} file must be importable by itself."
        ) from error
    return module


def file_digest(file: str) -> bytes:
    """Return what changes with a file's contents; nothing where it cannot be read."""
    try:
        return hashlib.sha256(Path(file).read_bytes()).digest()
    except OSError:
        return b""


@contextmanager
def _importable(module: types.ModuleType) -> Iterator[None]:
    """Let the module be found while it runs (dataclasses look for theirs), if the name is free."""
    free = module.__name__ not in sys.modules
    if free:
        sys.modules[module.__name__] = module
    try:
        yield
    finally:
        if free:
            sys.modules.pop(module.__name__, None)


def shown(path: Path) -> str:
    """Return a path as a sentence quotes it."""
    return str(path) if len(str(path)) <= 200 else quoted(str(path))


def is_file(path: Path, folder: bool = False) -> bool:
    """Tell whether there is such a file (or folder); no name is too strange to be asked for."""
    try:
        return path.is_dir() if folder else path.is_file()
    except (OSError, ValueError):
        return False


def _real(path: Path) -> Path | None:
    try:
        return path.resolve()
    except (OSError, ValueError, RuntimeError):
        return None


def line_of(error: BaseException, path: Path | str) -> int:
    """Return the last line of `path` that was running when `error` was raised, 0 for none."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((f.lineno or 0 for f in reversed(frames) if f.filename == str(path)), 0)


def hand_down(name: str, texts: Iterable[str]) -> None:
    """Set a list in the environment, for this process and those that it starts."""
    os.environ[name] = json.dumps(list(texts))


def handed_down(name: str) -> list[str] | None:
    """Return such a list; None if none was set, and nothing where it cannot be read."""
    told = os.environ.get(name)
    if told is None:
        return None
    try:
        return [str(text) for text in json.loads(told)]
    except (TypeError, ValueError, RecursionError):
        return []
