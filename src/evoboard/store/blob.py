"""A checkpoint as bytes: a JSON head, the arrays' own bytes, and a checksum. No pickle.

    "evoboard state 1\\n"   the form and its version
    8 bytes                length of the head, little-endian
    head                   UTF-8 JSON: [[key, null, value] or [key, type, shape, kept, cells], …]
    arrays                 one after the other, C order, little-endian
    32 bytes               SHA-256 of everything before

`kept` is the type written: whole numbers are narrowed to the bytes they need. `cells` is how many
are written: 1 if all are the same. That way a population of genomes takes a fifth of the space,
and less time. Packing and unpacking is exact: every bit of every array, the types of numbers, the
order of keys.
"""

from __future__ import annotations

import hashlib
import json
import math
import struct
import zlib
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from evoboard.core.arrays import Array
from evoboard.core.errors import PartError

MAGIC = b"evoboard state 1\n"
CHECK = 32
# What an array may hold: booleans, integers, floats. Nothing that could be executed.
TYPES = ("|b1", "|i1", "|u1", "<i2", "<u2", "<i4", "<u4", "<i8", "<u8", "<f4", "<f8")
WIDTHS = {1: "b", 2: "h", 4: "i"}  # of a move: bytes and struct's letter
NARROW = (("|i1", 1 << 7), ("<i2", 1 << 15), ("<i4", 1 << 31))  # types and where they end
PLAIN = {int, float, str, bool, type(None)}
SMALL = 32  # arrays with fewer cells are not worth looking at


def pack_state(state: Mapping[str, Any]) -> bytes:
    """Return a state as bytes; PartError names a key with a value that has no exact form."""
    head: list[list[Any]] = []
    body: list[bytes | memoryview] = []
    for key, value in state.items():
        if not isinstance(key, str):
            raise PartError(f"the state's key {key!r} is not text; use texts as keys.")
        if isinstance(value, np.ndarray):
            kind = value.dtype.str
            if kind[0] == ">":
                kind = value.dtype.newbyteorder("<").str
            if kind not in TYPES:
                raise PartError(f"the state {key!r} is an array of {value.dtype}; use numbers.")
            cells = _narrowed(np.ascontiguousarray(value.astype(kind, copy=False)).reshape(-1))
            head.append([key, kind, list(value.shape), cells.dtype.str, len(cells)])
            body.append(cells.view(np.uint8).data)  # copied only once, at the end
        else:
            head.append([key, None, _plain(value, key)])
    text = json.dumps(head, separators=(",", ":")).encode()
    parts = [MAGIC, len(text).to_bytes(8, "little"), text, *body]
    check = hashlib.sha256()
    for part in parts:
        check.update(part)
    return b"".join([*parts, check.digest()])


def unpack_state(data: bytes) -> dict[str, Any]:
    """Return what `pack_state` was given; PartError if a single bit has changed."""
    if data[: len(MAGIC)] != MAGIC or len(data) < len(MAGIC) + 8 + CHECK:
        raise PartError("the checkpoint does not begin as one")
    content = memoryview(data)[:-CHECK]
    if hashlib.sha256(content).digest() != data[-CHECK:]:
        raise PartError("the checkpoint's checksum is wrong")
    at = len(MAGIC) + 8
    length = int.from_bytes(content[len(MAGIC) : at], "little")
    try:
        head = json.loads(bytes(content[at : at + length]))
    except ValueError:
        raise PartError("the checkpoint's head is not JSON") from None
    return _unpack_entries(head, content, at + length)


def _unpack_entries(head: Any, content: memoryview, at: int) -> dict[str, Any]:
    state: dict[str, Any] = {}
    for key, kind, *told in head:
        if kind is None:
            (state[key],) = told
            continue
        shape, kept, count = told
        size = math.prod(shape)
        if (
            kind not in TYPES
            or kept not in TYPES
            or count not in (1, size)
            or min(shape, default=0) < 0
        ):
            raise PartError(f"the checkpoint's array {key!r} is of a form that is never written")
        after = at + count * np.dtype(kept).itemsize
        if after > len(content):
            raise PartError(f"the checkpoint's array {key!r} is cut short")
        cells = np.frombuffer(content[at:after], kept).astype(np.dtype(kind).newbyteorder("="))
        whole = cells if count == size else np.repeat(cells, size)
        state[key], at = whole.reshape(shape), after
    if at != len(content):
        raise PartError("the checkpoint is longer than its head says")
    return state


def _narrowed(cells: Array) -> Array:
    """Return the same numbers in the smallest type that holds them; only one if all are equal."""
    if len(cells) < SMALL or cells.dtype.kind == "b":
        return cells
    # Compare the bits of floats: -0.0 is not 0.0, and NaNs differ.
    whole = cells.dtype.kind in "iu"
    bits = cells if whole else cells.view(f"<i{cells.itemsize}")
    if not whole and (bits[:SMALL] != bits[0]).any():  # true of most, and quickly seen
        return cells
    low, high = int(bits.min()), int(bits.max())
    cells = cells[:1] if low == high else cells
    if not whole:
        return cells
    fits = (kind for kind, end in NARROW if -end <= low and high < end)
    return cells.astype(next(fits, cells.dtype), copy=False)


def _plain(value: Any, key: str) -> Any:
    """Return a JSON value of exactly the same content; NumPy's single numbers become Python's."""
    if type(value) in PLAIN:
        return value
    if isinstance(value, np.generic):
        return _plain(value.item(), key)
    if isinstance(value, list):
        return value if PLAIN.issuperset(map(type, value)) else [_plain(c, key) for c in value]
    if isinstance(value, dict) and all(isinstance(name, str) for name in value):
        return {name: _plain(cell, key) for name, cell in value.items()}
    # A tuple would come back as a list, and a resumed run would differ from one never stopped.
    raise PartError(
        f"the state {key!r} holds a {type(value).__name__}; "
        "use arrays, texts, numbers, and lists and dicts of these."
    )


def pack_json(data: Mapping[str, Any]) -> bytes:
    """Return JSON data compressed."""
    return zlib.compress(json.dumps(data, separators=(",", ":")).encode(), 3)


def unpack_json(data: bytes) -> Any:
    """Return what `pack_json` was given; PartError for other bytes."""
    try:
        return json.loads(zlib.decompress(data))
    except (zlib.error, ValueError) as error:
        raise PartError(f"a stored genome cannot be read: {error}") from None


def pack_moves(moves: Sequence[int]) -> bytes:
    """Return moves as bytes: the first is the width of a number, then the numbers."""
    high = max(moves, default=0)
    least = 1 if high < 1 << 7 else 2 if high < 1 << 15 else 4
    try:
        return struct.pack(f"<B{len(moves)}{WIDTHS[least]}", least, *moves)
    except struct.error:  # one is below what that width holds
        width = 2 if least == 1 and min(moves) >= -1 << 15 else 4
        return struct.pack(f"<B{len(moves)}{WIDTHS[width]}", width, *moves)


def unpack_moves(data: bytes) -> tuple[int, ...]:
    """Return the moves that `pack_moves` was given."""
    if not data or data[0] not in WIDTHS or (len(data) - 1) % data[0]:
        raise PartError("the moves of a stored game cannot be read")
    return struct.unpack_from(f"<{(len(data) - 1) // data[0]}{WIDTHS[data[0]]}", data, 1)
