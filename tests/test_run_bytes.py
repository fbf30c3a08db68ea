"""What a run is written in: states and moves as bytes, settings as TOML, numbers as JSON."""

from __future__ import annotations

import hashlib
import json
import math
import sqlite3
import tomllib
from contextlib import closing

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from evoboard.core.errors import OptionError, PartError
from evoboard.core.toml import toml_text
from evoboard.store.blob import MAGIC, TYPES, pack_moves, pack_state, unpack_moves, unpack_state
from evoboard.store.writer import numbers_text, read_numbers

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
arrays = st.sampled_from(TYPES).flatmap(
    lambda kind: hnp.arrays(np.dtype(kind), hnp.array_shapes(min_dims=0, min_side=0, max_side=4))
)


@settings(max_examples=150, deadline=None)
@given(st.dictionaries(st.text(), json_values | arrays, max_size=5))
def test_a_state_survives_its_bytes_exactly(state):
    found = unpack_state(pack_state(state))
    assert list(found) == list(state)
    for name, value in state.items():
        if isinstance(value, np.ndarray):
            assert found[name].dtype == value.dtype
            assert found[name].shape == value.shape
            assert found[name].tobytes() == value.tobytes()  # NaN's bits, too
            assert found[name].flags.writeable
        else:
            assert repr(found[name]) == repr(value)  # 1 is not 1.0, -0.0 not 0.0


def test_a_state_with_one_wrong_bit_is_refused():
    packed = pack_state({"a": np.arange(5.0), "b": [1, 2.5, "x"]})
    for place in range(len(packed)):
        for bit in (1, 128):
            changed = bytearray(packed)
            changed[place] ^= bit
            with pytest.raises(PartError, match="checkpoint"):
                unpack_state(bytes(changed))
    for length in range(len(packed)):
        with pytest.raises(PartError, match="checkpoint"):
            unpack_state(packed[:length])


@pytest.mark.parametrize("count", [0, 2, 3, 7, -1])
def test_a_state_with_neither_one_cell_nor_all_is_refused(count):
    """Its checksum is right: whoever wrote it so meant it."""
    head = json.dumps([["x", "<f8", [2, 3], "<f8", count]]).encode()
    cells = np.zeros(max(0, count)).tobytes()
    content = MAGIC + len(head).to_bytes(8, "little") + head + cells
    with pytest.raises(PartError, match="of a form that is never written"):
        unpack_state(content + hashlib.sha256(content).digest())


@pytest.mark.parametrize("kind", TYPES)
def test_large_arrays_survive_narrowing(kind):
    """Arrays of more than a few cells are written in as few bytes as they need."""
    rng = np.random.default_rng(1)
    dtype = np.dtype(kind)
    info = np.finfo(dtype) if dtype.kind == "f" else None if kind == "|b1" else np.iinfo(dtype)
    ends = [False, True] if info is None else [info.min, info.max]
    near = [0, -0.0] if dtype.kind == "f" else [0, 1, 100]
    wide = near if kind in ("|i1", "|b1") else [0, 127, 128]
    low = [-129, 0, 127] if kind in ("<i2", "<i4", "<i8", "<f4", "<f8") else near
    for values in (ends, near, [near[1]], wide, low, [0, ends[1]], [ends[0], 1]):
        for shape in ((100,), (10, 10), (0, 100), (33, 3)):
            cells = rng.choice(np.array(values, dtype), shape)
            found = unpack_state(pack_state({"x": cells}))["x"]
            assert found.dtype == cells.dtype
            assert found.shape == cells.shape
            assert found.tobytes() == cells.tobytes()
            assert found.flags.writeable


def test_what_repeats_takes_no_room():
    sizes = [
        len(pack_state({"x": np.asarray(cells)}))
        for cells in (np.ones(5000), np.arange(5000), np.arange(5000) % 100, np.full(5000, 1 << 40))
    ]
    overhead = sizes[0] - 8
    assert overhead < 120
    assert sizes[1] - overhead == pytest.approx(10000, abs=5)
    assert sizes[2] - overhead == pytest.approx(5000, abs=5)
    assert sizes[3] - overhead == pytest.approx(8, abs=5)


def test_a_state_in_other_orders_and_of_other_ends_keeps_its_numbers():
    state = {"a": np.arange(12, dtype=">i4").reshape(3, 4).T, "b": np.float32(0.1), "c": np.int8(3)}
    found = unpack_state(pack_state(state))
    assert (found["a"] == state["a"]).all()
    assert found["b"] == float(np.float32(0.1))
    assert (found["c"], type(found["c"])) == (3, int)


@pytest.mark.parametrize(
    "value", [np.array(["text"]), np.array([object()]), (1, 2), {1: 2}, {"a": {3}}, [b"x"], 1j]
)
def test_a_state_that_has_no_exact_form_is_refused_by_name(value):
    with pytest.raises(PartError, match="'wrong'"):
        pack_state({"fine": 1, "wrong": value})


@given(st.lists(st.integers(-(2**31), 2**31 - 1)) | st.lists(st.integers(-128, 300)))
def test_moves_survive_their_bytes(moves):
    assert unpack_moves(pack_moves(moves)) == tuple(moves)


def test_moves_take_no_more_room_than_they_need():
    assert [len(pack_moves([m] * 10)) for m in (5, 127, 128, -129, 40000)] == [11, 11, 21, 21, 41]


toml_values = st.recursive(
    st.booleans()
    | st.integers(-(2**63), 2**63 - 1)
    | st.floats(allow_nan=False)
    | st.text(st.characters(exclude_categories=["Cs"])),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), inner, max_size=4)
    ),
    max_leaves=15,
)


@settings(max_examples=200, deadline=None)
@given(st.dictionaries(st.text(st.characters(exclude_categories=["Cs"])), toml_values, max_size=5))
def test_toml_is_read_back_as_the_same_data(data):
    assert repr(tomllib.loads(toml_text(data))) == repr(_in_order(data))


def _in_order(data):
    """Return tables with their plain values first: TOML has to write them so."""
    if isinstance(data, dict):
        tables = {k: v for k, v in data.items() if _is_table(v)}
        others = {k: v for k, v in data.items() if not _is_table(v)}
        return {k: _in_order(v) for k, v in (*others.items(), *tables.items())}
    return [_in_order(cell) for cell in data] if _is_table(data) else data


def _is_table(value):
    rows = isinstance(value, list) and value and all(isinstance(cell, dict) for cell in value)
    return isinstance(value, dict) or bool(rows)


def test_toml_cannot_hold_nothing():
    with pytest.raises(OptionError, match=r"a\.b is a NoneType"):
        toml_text({"a": {"b": None}})


def test_numbers_are_json_that_everybody_reads():
    numbers = {"a": 0.1, "b": np.float64(1e300), "c": np.int64(3), "d": -math.inf, 'e"': math.inf}
    text = numbers_text(numbers)
    assert read_numbers(text) == numbers
    assert type(read_numbers(text)["c"]) is int
    assert math.isnan(read_numbers(numbers_text({"x": math.nan}))["x"])
    with closing(sqlite3.connect(":memory:")) as database:  # SQLite's JSON is strict
        (found,) = database.execute("SELECT json_extract(?, '$.d')", (text,)).fetchone()
    assert found == -math.inf
