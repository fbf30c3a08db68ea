"""Find a part by its module's name, or in a user's own file; there is no list to edit."""

from __future__ import annotations

import importlib
import importlib.util
import pkgutil
import traceback
import types
from pathlib import Path

from evoboard.core.errors import NotFound, PartError, unknown


def find(kind: str, package: str, name: str, needs: str) -> types.ModuleType:
    """Return the part called `name`: a module of `package`, or a path to a Python file.

    `needs` is an attribute that tells parts of this kind from the package's other modules.
    """
    if name.endswith(".py") or "/" in name or "\\" in name:
        return load_file(kind, Path(name))
    # No error may come from asking for a strange name: importlib rejects some outright.
    if name.isidentifier() and importlib.util.find_spec(f"{package}.{name}"):
        module = importlib.import_module(f"{package}.{name}")
        if hasattr(module, needs):
            return module
    raise NotFound(
        unknown(kind, name, names(package, needs))
        + f" A {kind} of your own is named by its file: FILE.py."
    )


def names(package: str, needs: str) -> list[str]:
    """Return the names of all parts in `package`, sorted."""
    folder = importlib.import_module(package)
    found = (module.name for module in pkgutil.iter_modules(folder.__path__))
    return sorted(n for n in found if hasattr(importlib.import_module(f"{package}.{n}"), needs))


def load_file(kind: str, path: Path) -> types.ModuleType:
    """Return the module in a user's file; its name is the file's, and it shadows nothing."""
    if not path.is_file():
        nearby = [p.name for p in sorted(path.parent.glob("*.py"))] if path.parent.is_dir() else []
        raise NotFound(
            f"there is no file {path}; " + unknown("file", path.name, nearby).split("; ", 1)[1]
        )
    # A new name for every load, so that an edited file is never mistaken for its older self.
    module = types.ModuleType(path.stem)
    module.__file__ = str(path)
    try:
        source = path.read_text(encoding="utf-8")
        exec(compile(source, str(path), "exec"), module.__dict__)
    except SyntaxError as error:
        raise PartError(
            f"{path}, line {error.lineno}: {error.msg}; mend the syntax of this {kind} file first."
        ) from error
    except UnicodeDecodeError as error:
        raise PartError(
            f"{path} is not a text file in UTF-8: is it really a {kind} file?"
        ) from error
    except OSError as error:
        raise PartError(f"{path} cannot be read: {error.strerror}.") from error
    except Exception as error:
        raise PartError(
            f"{path}, line {_line(error, path)}: {type(error).__name__}: {error}; "
            f"this {kind} file must be importable by itself."
        ) from error
    return module


def _line(error: Exception, path: Path) -> int:
    """Return the last line of `path` that was running when `error` was raised."""
    frames = traceback.extract_tb(error.__traceback__)
    return next((f.lineno or 0 for f in reversed(frames) if f.filename == str(path)), 0)
