"""Files that are written whole: others see the old one or the new one, never a part of it."""

from __future__ import annotations

import contextlib
import os
import secrets
from pathlib import Path


def write_whole(
    path: Path, content: bytes | str, *, lasting: bool = False, mode: int = 0o666
) -> None:
    """Write a file at once, however many threads and processes write it; its folder is made.

    `lasting`: it is on the disk, not only on its way there. `mode`: who may read and write it, less
    what the user's umask takes away.
    """
    data = content.encode() if isinstance(content, str) else content
    path.parent.mkdir(parents=True, exist_ok=True)
    # Not tempfile: its files are the user's alone, and a umask cannot be read without setting it.
    part = path.with_name(f".{secrets.token_hex(8)}.part")
    try:
        with open(part, "xb", opener=lambda name, flags: os.open(name, flags, mode)) as file:
            file.write(data)
            if lasting:
                file.flush()
                os.fsync(file.fileno())
        os.replace(part, path)
    except BaseException:
        with contextlib.suppress(OSError):
            part.unlink()
        raise
