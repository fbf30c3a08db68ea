"""Whatever a stranger writes, it is read or refused in a sentence; nothing else happens."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

pytest.importorskip("nicegui", reason="the extra web (NiceGUI) is not installed")

import fuzzers

TRUST = Path(__file__).parent.parent / "tools" / "trust.py"


@pytest.fixture(scope="module", params=fuzzers.READERS)
def target(request):
    return fuzzers.target(request.param)


def test_mutated_texts_are_read_or_refused(target, cases):
    assert "" in [fuzzers.tried(target, sample) for sample in target.samples]
    score = fuzzers.attack(target, cases(120, 20_000))
    assert score.faults == []


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        ("changes (--set)", "fitness.scoring=1/" + "a." * 600),
        ("nim positions", "3" * 1500 + ",5,7 0"),
    ],
)
def test_errors_quote_the_beginning_of_what_is_long(reader, text):
    assert fuzzers.tried(fuzzers.target(reader), text) == fuzzers.REFUSED


def test_the_table_of_trust_is_made():
    command = [sys.executable, str(TRUST), "--jobs", "2", "changed history"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    row = "| changed history | 40 changed histories | every one refused in a sentence | yes |"
    assert done.stdout.startswith(row)
