"""A user's game is tested before its rules run: in a separate process, once per version.

There a rule that never ends, crashes or lies about its moves costs a sentence; compiled into a
tournament it would take the whole process along.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
import threading
from contextlib import suppress
from typing import Any

from evoboard.core import catalog
from evoboard.core.cache import cache_folder
from evoboard.core.compiling import compiling
from evoboard.core.errors import EvoboardError, PartError
from evoboard.core.link import stamp
from evoboard.core.options import with_options
from evoboard.core.version import program_version
from evoboard.core.whole_file import write_whole
from evoboard.games.base import Game, load_game
from evoboard.games.contract import OPTIONAL, RULES
from evoboard.games.laws.conformance import check_game

POSITIONS, GAMES = 40, 100
# Far more than a trial takes: what does not end is nearly always found by other means.
PROCESSOR_SECONDS, SECONDS = 300, 900
BEGIN = (
    "import gc, json, sys; asked = json.load(sys.stdin); sys.path[:] = asked['path']; "
    f"gc.disable(); from {__name__} import try_game; gc.freeze(); gc.enable(); "
    "try_game(asked['file'], asked['options'])"
)

_turn = threading.Lock()
_known: dict[str, str] = {}  # what is wrong with a version of a game, "" for nothing


def require_lawful(game: Game) -> None:
    """Raise PartError if a game breaks a law; a version that passed is not tried again."""
    text = with_options(game.file, game.changed_options)
    with _turn:
        key = _version(game)
        passed = cache_folder() / f"{key}.lawful"
        if key not in _known and os.path.exists(passed):
            _known[key] = ""
        if key not in _known:
            problem = _tried(game.file, game.changed_options)
            if catalog.file_digest(game.file) != game.source:  # then another one was tried
                raise PartError(f"{game.file} has changed since it was loaded; load it again.")
            _known[key] = problem
            if not _known[key]:
                with suppress(OSError):
                    passed.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
                    write_whole(passed, b"")
    if _known[key]:
        told = _known[key] if _known[key][-1:] in ".?" else f"{_known[key]}."
        raise PartError(f"{told} `evoboard check-game {text}` tests the whole game.")


def _version(game: Game) -> str:
    """Return what changes whenever the game's behaviour can."""
    digest = hashlib.sha256(f"{program_version()} {POSITIONS} {GAMES}".encode())
    digest.update(game.source)
    digest.update(json.dumps(game.changed_options, sort_keys=True, default=str).encode())
    rules = game.on_trial().bindings
    for name in (*RULES, *OPTIONAL):
        if name in rules:
            digest.update(f"{name} {stamp(rules[name], rules)}".encode())
    return digest.hexdigest()[:40]


def _tried(file: str, options: dict[str, Any]) -> str:
    """Return what is wrong with a game in one sentence, "" for nothing."""
    text = with_options(file, options)
    # What is in the working folder comes last: a game may be called numpy.py.
    here = [place for place in sys.path if place in ("", os.getcwd())]
    path = [place for place in sys.path if place not in here] + here
    # Options apart: as one text, some values would be read as several.
    asked = json.dumps({"file": file, "options": options, "path": path}, default=str).encode()
    command, pipe = [sys.executable, "-I", "-c", BEGIN], subprocess.PIPE
    nothing = subprocess.DEVNULL
    with subprocess.Popen(command, stdin=pipe, stdout=pipe, stderr=nothing) as process:
        try:
            told, _ = process.communicate(asked, SECONDS)
        except subprocess.TimeoutExpired:
            process.kill()
            return f"{text}: a rule does not end; check the conditions of its loops."
        finally:
            process.kill()
    # There is no such signal on Windows.
    if hasattr(signal, "SIGXCPU") and process.returncode == -signal.SIGXCPU:
        return f"{text}: a rule does not end; check the conditions of its loops."
    with suppress(ValueError, LookupError, TypeError):
        return str(json.loads(told.splitlines()[-1])["problem"])
    how = f"signal {-process.returncode}" if process.returncode < 0 else "no verdict"
    return f"{text}: the process that tried its rules ended with {how}; do they use wrong indices?"


def try_game(file: str, options: dict[str, Any]) -> None:
    """Try a game and print what is wrong with it, as JSON; the process ends."""
    compiling.own_process = True
    with suppress(ImportError, ValueError, OSError):  # there are none on Windows
        import resource

        # At the second number a process is killed without a reason; so the first must be lower.
        limits = PROCESSOR_SECONDS, PROCESSOR_SECONDS + 10
        resource.setrlimit(resource.RLIMIT_CPU, limits)
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    try:
        report = check_game(load_game(file, **options), POSITIONS, GAMES, must_end=False)
        problem = " ".join(report.problems)
    except EvoboardError as error:
        problem = str(error)
    sys.stdout.write(f"\n{json.dumps({'problem': problem})}\n")
    sys.stdout.flush()
    os._exit(0)  # a thread may be in a rule that does not end
