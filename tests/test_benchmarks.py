"""Benchmarks run: a change of the program that breaks one is noticed before `make bench` is."""

from __future__ import annotations

import importlib
import sys
from pathlib import Path

import pytest

from conftest import few

sys.path.insert(0, str(Path(__file__).parent.parent))
report = importlib.import_module("benchmarks.report")


def once(work, seconds=1.0, repeats=3):
    """Take the place of `rate`: the work is done once, and how fast does not matter."""
    return float(work())


GROUPS = (
    "search: depth 1",
    "search: deeper",
    "networks: forward",
    "networks: encoders",
    "mcts: early termination",
    "rules: a user's game",
)


@pytest.mark.parametrize("group", few(GROUPS, "search: depth 1"))
def test_a_group_has_rows(group, monkeypatch):
    found = importlib.import_module(f"benchmarks.{group.partition(':')[0]}")
    if hasattr(found, "rate"):
        monkeypatch.setattr(found, "rate", once)
    rows = found.GROUPS[group]()
    assert rows
    assert all(row.ours > 0 for row in rows)


def test_a_group_that_fails_is_told_and_the_others_go_on(capsys):
    def broken():
        raise ValueError("no such network")

    def fine():
        return [report.Row("games", 3.0, "games/s", "peer", 2.0, 1.0)]

    assert report.print_groups({"first": broken, "second": fine}) == 1
    told = capsys.readouterr().out
    assert "first\n  did not run: ValueError: no such network" in told
    assert "1.50 ×" in told
