"""An SVG picture, and the few shapes that pictures are made of."""

from __future__ import annotations

from html import escape
from pathlib import Path
from typing import NamedTuple

from evoboard.core.errors import OptionError, quoted
from evoboard.core.whole_file import write_whole


class Picture(NamedTuple):
    """An SVG image; a notebook shows it inline, `save` writes a file."""

    svg: str

    def _repr_svg_(self) -> str:
        return self.svg

    def save(self, path: str | Path) -> Path:
        """Write the picture as an .svg file; return where it is."""
        try:
            target = Path(path)
            write_whole(target, self.svg)
        except (TypeError, ValueError):
            raise OptionError(
                f"a picture cannot be saved as {quoted(path)}; name a file, such as board.svg."
            ) from None
        return target


class Drawing:
    """Collects shapes; `finish` makes a picture of them."""

    def __init__(self) -> None:
        self._parts: list[str] = []

    def add(self, shape: str, content: str = "", /, **attributes: str | float) -> None:
        """Add a shape; attributes as SVG names them, with _ for -."""
        told = " ".join(
            f'{name.replace("_", "-")}="{_written(value)}"' for name, value in attributes.items()
        )
        self._parts.append(f"<{shape} {told}>{escape(content)}</{shape}>")

    def text(self, x: float, y: float, words: str, size: float, **attributes: str | float) -> None:
        """Add words, centred at a point unless told otherwise."""
        look: dict[str, str | float] = {"text_anchor": "middle", "dominant_baseline": "central"}
        self.add("text", words, x=x, y=y, font_size=size, **{**look, **attributes})

    def finish(
        self, box: tuple[float, float, float, float], pixels: float, title: str, paper: str = ""
    ) -> Picture:
        """Return the picture of what lies in a box (left, top, width, height), so wide.

        `paper`: the colour below everything; none unless told.
        """
        left, top, width, height = box
        if paper:
            self.add("rect", x=left, y=top, width=width, height=height, fill=paper)
            self._parts.insert(0, self._parts.pop())
        shown = " ".join(map(_written, box))
        return Picture(
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{shown}" '
            f'width="{_written(pixels)}" height="{_written(pixels * height / width)}" role="img" '
            f'font-family="DejaVu Sans, Segoe UI Symbol, sans-serif"><title>{escape(title)}</title>'
            f"{''.join(self._parts)}</svg>"
        )


def _written(value: str | float) -> str:
    return escape(value) if isinstance(value, str) else f"{value:.4g}"
