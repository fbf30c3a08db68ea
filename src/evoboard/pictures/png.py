"""SVG pictures as PNG, by resvg where it is installed (the extra png)."""

from __future__ import annotations

import importlib.util
from pathlib import Path

from evoboard.core.whole_file import write_whole
from evoboard.pictures.svg import Picture

MISSING = 'PNG needs one more package: pip install "evoboard[png]"'
SCALE = 2  # pixels for each of the picture's own


def can_write_png() -> bool:
    """Tell whether PNG can be written here."""
    return importlib.util.find_spec("resvg_py") is not None


def save_png(picture: Picture, path: Path) -> None:
    """Write a picture as a .png file; only where `can_write_png`."""
    import resvg_py

    write_whole(path, bytes(resvg_py.svg_to_bytes(svg_string=picture.svg, zoom=SCALE)))
