"""Pictures as PDF, for a paper: charts made of lines, polygons, rectangles, circles and words.

Words are set in Helvetica, which every reader of PDF has; so a file is small and its words can be
searched and copied.
"""

from __future__ import annotations

import math
import re
import zlib
from collections.abc import Mapping
from pathlib import Path
from xml.etree import ElementTree

from evoboard.core.errors import OptionError
from evoboard.core.whole_file import write_whole
from evoboard.pictures.svg import Picture

POINTS = 0.75  # of a pixel
ROUND = 0.5523  # how far the handles of a quarter circle reach
# Widths of the characters from space to ~ in Helvetica, in thousandths of its size.
WIDTHS = (
    278, 278, 355, 556, 556, 889, 667, 191, 333, 333, 389, 584, 278, 333, 278, 278, 556, 556, 556,
    556, 556, 556, 556, 556, 556, 556, 278, 278, 584, 584, 584, 556, 1015, 667, 667, 722, 722, 667,
    611, 778, 722, 278, 500, 667, 556, 833, 722, 778, 667, 778, 722, 667, 611, 722, 667, 944, 667,
    667, 611, 278, 278, 278, 469, 556, 333, 556, 556, 500, 556, 556, 278, 556, 556, 222, 222, 500,
    222, 833, 556, 556, 556, 556, 333, 500, 278, 556, 500, 722, 500, 500, 500, 334, 260, 334, 584,
)  # fmt: skip
# What Helvetica lacks, as it is written there.
INSTEAD = str.maketrans({"−": "-", "→": "->", "≥": ">=", "≤": "<=", "⁄": "/", "\u202f": " "})

Look = Mapping[str, str]


def save_pdf(picture: Picture, path: str | Path) -> Path:
    """Write a picture as a PDF of one page, exactly as large; return where it is."""
    target = Path(path)
    write_whole(target, pdf_of(picture))
    return target


def pdf_of(picture: Picture) -> bytes:
    """Return a picture as a PDF of one page."""
    root = ElementTree.fromstring(picture.svg)
    left, top, width, height = (float(cell) for cell in root.attrib["viewBox"].split())
    page = _Page(left, top, height)
    for element in root:
        page.draw(element.tag.rpartition("}")[2], element.attrib, element.text or "")
    return _file(page, width, height)


class _Page:
    """Collects drawing commands; `shades` are the opacities that they use."""

    def __init__(self, left: float, top: float, height: float) -> None:
        # PDF counts from the bottom, SVG from the top.
        self.commands = [f"1 0 0 -1 {_n(-left)} {_n(height + top)} cm", "1 j 1 J"]
        self.shades: dict[float, str] = {}

    def draw(self, shape: str, look: Look, words: str) -> None:
        """Draw one shape."""
        if shape == "title":
            return None
        if shape == "text":
            return self._text(look, words)
        path = self._path(shape, look)
        fill, stroke = look.get("fill", "#000000"), look.get("stroke", "none")
        closed = shape not in ("line", "polyline")
        fills, strokes = fill != "none" and shape != "line", stroke != "none"
        if not fills and not strokes:
            return None
        self._begin(look, fill if fills else "", stroke if strokes else "")
        end = {(True, False): "f", (False, True): "S", (True, True): "B"}[fills, strokes]
        self.commands += [path + (" h" if closed and shape == "polygon" else ""), end, "Q"]

    def _begin(self, look: Look, fill: str, stroke: str) -> None:
        shade = float(look.get("fill-opacity", look.get("opacity", "1")))
        name = self.shades.setdefault(shade, f"G{len(self.shades)}")
        dashes = " ".join(_n(float(cell)) for cell in look.get("stroke-dasharray", "").split())
        self.commands += ["q", f"/{name} gs"]
        if fill:
            self.commands.append(f"{_colour(fill)} rg")
        if stroke:
            width = _n(float(look.get("stroke-width", "1")))
            self.commands += [f"{_colour(stroke)} RG {width} w [{dashes}] 0 d"]

    def _path(self, shape: str, look: Look) -> str:
        at = {key: float(value) for key, value in look.items() if _is_number(value)}
        if shape == "rect":
            box = (at.get("x", 0), at.get("y", 0), at["width"], at["height"])
            return f"{' '.join(map(_n, box))} re"
        if shape == "line":
            return _line([(at["x1"], at["y1"]), (at["x2"], at["y2"])])
        if shape in ("polyline", "polygon"):
            cells = [float(cell) for cell in re.split(r"[\s,]+", look["points"].strip())]
            return _line(list(zip(cells[::2], cells[1::2], strict=True)))
        if shape == "circle":
            return _circle(at["cx"], at["cy"], at["r"])
        raise OptionError(
            f"a picture with the shape {shape} cannot be written as PDF; save it as SVG."
        )

    def _text(self, look: Look, words: str) -> None:
        size = float(look["font-size"])
        x, y = float(look["x"]), float(look["y"])
        raw = words.translate(INSTEAD).encode("cp1252", "replace")
        wide = size / 1000 * sum(_width(byte) for byte in raw)
        shift = {"middle": -wide / 2, "end": -wide}.get(look.get("text-anchor", ""), 0.0)
        down = 0.36 * size if look.get("dominant-baseline") == "central" else 0.0
        turned = re.fullmatch(r"rotate\((\S+) (\S+) (\S+)\)", look.get("transform", ""))
        angle, px, py = (float(cell) for cell in turned.groups()) if turned else (0.0, 0.0, 0.0)
        cos, sin = math.cos(math.radians(angle)), math.sin(math.radians(angle))
        turn = (cos, sin, -sin, cos, px - cos * px + sin * py, py - sin * px - cos * py)
        font = "B" if look.get("font-weight") == "bold" else "R"
        shown = raw.replace(b"\\", b"\\\\").replace(b"(", b"\\(").replace(b")", b"\\)")
        self._begin(look, look.get("fill", "#000000"), "")
        self.commands += [
            f"{' '.join(map(_n, turn))} cm",
            f"BT /{font} {_n(size)} Tf 1 0 0 -1 {_n(x + shift)} {_n(y + down)} Tm",
            f"({shown.decode('latin-1')}) Tj ET Q",
        ]


def _file(page: _Page, width: float, height: float) -> bytes:
    body = "\n".join([f"{POINTS} 0 0 {POINTS} 0 0 cm", *page.commands]).encode("latin-1")
    packed = zlib.compress(body, 9)
    shades = " ".join(f"/{name} << /ca {_n(share)} >>" for share, name in page.shades.items())
    fonts = " ".join(
        f"/{name} << /Type /Font /Subtype /Type1 /BaseFont /{font} /Encoding /WinAnsiEncoding >>"
        for name, font in (("R", "Helvetica"), ("B", "Helvetica-Bold"))
    )
    box = f"[0 0 {_n(POINTS * width)} {_n(POINTS * height)}]"
    objects = [
        b"<< /Type /Catalog /Pages 2 0 R >>",
        b"<< /Type /Pages /Kids [3 0 R] /Count 1 >>",
        f"<< /Type /Page /Parent 2 0 R /MediaBox {box} /Contents 4 0 R /Resources "
        f"<< /Font << {fonts} >> /ExtGState << {shades} >> >> >>".encode(),
        f"<< /Length {len(packed)} /Filter /FlateDecode >>\nstream\n".encode()
        + packed
        + b"\nendstream",
    ]
    out, places = bytearray(b"%PDF-1.4\n%\xe2\xe3\xcf\xd3\n"), []
    for number, each in enumerate(objects, 1):
        places.append(len(out))
        out += f"{number} 0 obj\n".encode() + each + b"\nendobj\n"
    start = len(out)
    out += f"xref\n0 {len(objects) + 1}\n0000000000 65535 f \n".encode()
    out += b"".join(f"{place:010} 00000 n \n".encode() for place in places)
    out += (
        f"trailer\n<< /Size {len(objects) + 1} /Root 1 0 R >>\nstartxref\n{start}\n%%EOF\n".encode()
    )
    return bytes(out)


def _line(points: list[tuple[float, float]]) -> str:
    words = [f"{_n(x)} {_n(y)} {'l' if number else 'm'}" for number, (x, y) in enumerate(points)]
    return " ".join(words)


def _circle(x: float, y: float, r: float) -> str:
    k = ROUND * r
    arcs = [
        (x + r, y + k, x + k, y + r, x, y + r),
        (x - k, y + r, x - r, y + k, x - r, y),
        (x - r, y - k, x - k, y - r, x, y - r),
        (x + k, y - r, x + r, y - k, x + r, y),
    ]
    return " ".join([f"{_n(x + r)} {_n(y)} m", *(f"{' '.join(map(_n, arc))} c" for arc in arcs)])


def _width(byte: int) -> int:
    return WIDTHS[byte - 32] if 32 <= byte < 127 else 556


def _colour(text: str) -> str:
    if not re.fullmatch(r"#[0-9a-fA-F]{6}", text):
        raise OptionError(f"the colour {text} cannot be written as PDF; write it as #rrggbb.")
    return " ".join(_n(int(text[place : place + 2], 16) / 255) for place in (1, 3, 5))


def _is_number(text: str) -> bool:
    return re.fullmatch(r"-?[\d.]+(e-?\d+)?", text) is not None


def _n(value: float) -> str:
    return f"{value:.3f}".rstrip("0").rstrip(".") if value % 1 else str(int(value))
