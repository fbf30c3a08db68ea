"""An app that notes the files in which functions are called: followed_app.py FILE app …

Its threads are followed from the start, the event loop, which would take long to start, from
SIGUSR1 on, which forgets what has been noted. SIGUSR2 writes it to FILE. The rest of the command
line is what `evoboard` is called with.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
from pathlib import Path
from types import FrameType
from typing import Any

import evoboard

ROOT = Path(evoboard.__file__).parent
seen: set[str] = set()


def note(frame: FrameType, event: str, _argument: Any) -> None:
    path = frame.f_code.co_filename
    if event == "call" and path.startswith(str(ROOT)):
        seen.add(Path(path).relative_to(ROOT).as_posix())


def follow(*_: Any) -> None:
    seen.clear()
    sys.setprofile(note)


def write(out: str) -> None:
    Path(f"{out}.part").write_text("\n".join(sorted(seen)))
    os.replace(f"{out}.part", out)


if __name__ == "__main__":
    file = sys.argv.pop(1)
    signal.signal(signal.SIGUSR1, follow)
    signal.signal(signal.SIGUSR2, lambda *_: write(file))
    threading.setprofile(note)
    from evoboard.cli.main import run

    run()
