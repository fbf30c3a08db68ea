"""Whatever a stranger writes, it is read or refused in a sentence; nothing else happens."""

from __future__ import annotations

import importlib
import itertools
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from typer.testing import CliRunner

pytest.importorskip("nicegui", reason="the extra web (NiceGUI) is not installed")

import fuzzers
from evoboard.cli.main import app
from evoboard.core.errors import EvoboardError
from evoboard.networks.mlp_network import Design, MLPNetwork

TRUST = Path(__file__).parent.parent / "tools" / "trust.py"


@pytest.fixture(scope="module", params=fuzzers.READERS)
def target(request):
    return fuzzers.target(request.param)


def test_mutated_texts_are_read_or_refused(target, cases):
    assert "" in [fuzzers.tried(target, sample) for sample in target.samples]
    score = fuzzers.attack(target, cases(120, 20_000))
    assert score.faults == []


SMALLEST = MLPNetwork(Design((2, 1)), np.zeros(3)).to_json()


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        ("changes (--set)", "fitness.scoring=1/" + "a." * 600),
        ("nim positions", "3" * 1500 + ",5,7 0"),
        ("names of players", "run:mine:" + "a." * 600 + "=1"),
        ("hexwar positions", "0,0" + "9" * 1500 + ",0,0,0" + "/0,0,0,0,0" * 4 + " b"),
        ("chess moves", "\U00010233" * 99),  # a letter of which is written by ten
        ("layered networks", json.dumps(SMALLEST | {"sizes": [0.123456] * 300})),
    ],
)
def test_errors_quote_the_beginning_of_what_is_long(reader, text):
    assert fuzzers.tried(fuzzers.target(reader), text) == fuzzers.REFUSED


@pytest.mark.parametrize(
    ("reader", "text"),
    [
        ("experiments (TOML)", "[" + "a." * 600 + "a]\nb = 1\n"),
        ("experiments (TOML)", "a = " + "[" * 3000 + "]" * 3000),
        ("changes (--set)", "a." * 600 + "a=1"),
        ("genomes of NEAT", "[" * 100_000),
    ],
)
def test_what_is_nested_too_deep_is_refused(reader, text):
    assert fuzzers.tried(fuzzers.target(reader), text) == fuzzers.REFUSED


def _with_another(data, value):
    """Yield copies of JSON data, each with one of its cells, at any depth, replaced."""
    for key, cell in list(data.items() if isinstance(data, dict) else enumerate(data)):
        data[key] = value
        yield json.dumps(data)
        data[key] = cell
        if isinstance(cell, dict | list):
            yield from (json.dumps(data) for _ in _with_another(cell, value))


@pytest.mark.parametrize(
    "value", [10**400, 2**64, -(2**63), 1e308], ids=("400 digits", "2^64", "-2^63", "1e308")
)
@pytest.mark.parametrize(
    "reader",
    ["genomes of NEAT", "layered genomes", "vectors", "graph networks", "layered networks"],
)
def test_absurd_numbers_anywhere_in_a_genome_are_read_or_refused(reader, value):
    target = fuzzers.target(reader)
    sample = json.loads(min(target.samples, key=len))
    texts = list(itertools.islice(_with_another(sample, value), 150))
    assert len(texts) > 5
    assert {fuzzers.tried(target, text) for text in texts} <= {"", fuzzers.REFUSED}


LONG = "x" * 300
COMMANDS = (
    *(f"match {player} random --game nim" for player in (f"file:{LONG}", f"champion:{LONG}", LONG)),
    *(f"match random random --game nim --games 2 --save {LONG}{end}" for end in ("", ".txt")),
    *(f"{command} {LONG}" for command in ("train", "resume", "report", "runs", "rate", "paper")),
    f"train nim-quick --run {LONG}",
    f"train {LONG}.toml",
    *(f"{command} --game {LONG}" for command in ("app", "ladder random", "engine random")),
)


@pytest.mark.parametrize("command", COMMANDS, ids=lambda text: text.replace(LONG, "LONG"))
def test_names_of_300_letters_are_refused_in_a_sentence(command, tmp_path, monkeypatch):
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path))
    error = CliRunner().invoke(app, command.split()).exception
    assert isinstance(error, EvoboardError)
    assert len(str(error)) < 350
    assert "x" * 101 not in str(error)


@pytest.fixture
def trust(monkeypatch):
    """The module of the trials; what it does to paths and settings lasts as long as the test."""
    monkeypatch.syspath_prepend(str(TRUST.parent))
    monkeypatch.setenv("PYTHONPATH", os.environ.get("PYTHONPATH", ""))
    monkeypatch.setenv("OPENBLAS_NUM_THREADS", "1")
    return importlib.import_module("trust")


def test_interrupted_texts_go_on_and_what_is_complete_is_not_tried_again(
    trust, tmp_path, monkeypatch, capsys
):
    turns, until = [], 3

    def attack(reader, cases, turn, seconds):
        turns.append(turn)
        if len(turns) == until:
            raise KeyboardInterrupt
        return fuzzers.Score(refused=20_000)

    monkeypatch.setattr(trust, "attack", attack)
    monkeypatch.setattr(trust, "targets", lambda: [fuzzers.Target("any", (), str)])
    file = tmp_path / "kept.json"
    command = ["trust.py", "--save", str(file), "hostile texts"]
    monkeypatch.setattr(sys, "argv", command)
    assert trust.main() == trust.INTERRUPTED
    assert "| 40,000 texts, 1 readers, 40,000 or more each |" in capsys.readouterr().out
    assert trust.main() == 0
    assert turns == [0, 1, 2, 3]
    assert "| 60,000 texts, 1 readers" in capsys.readouterr().out
    assert trust.main() == 0
    assert len(turns) == 4
    monkeypatch.setattr(sys, "argv", ["trust.py", "--merge", str(file)])
    assert trust.main() == 0
    assert "| 60,000 texts, 1 readers" in capsys.readouterr().out


def test_an_interrupted_training_ends_a_trial_and_is_no_fault(trust, monkeypatch):
    """A run takes Ctrl-C as a wish to stop in good order: it is not whole then."""
    step, steps = trust.FakeTrainer.step, []

    def interrupted(self, progress=None):
        steps.append(self.generation)
        if len(steps) > 20 and self.generation == 9:
            os.kill(os.getpid(), signal.SIGINT)
        return step(self, progress)

    monkeypatch.setattr(trust.FakeTrainer, "step", interrupted)
    result = trust.Result()
    with pytest.raises(KeyboardInterrupt):
        trust.corrupt_bytes(trust.Share(), result)
    assert result.faults == []
    assert result.counts["databases"] == result.counts["refused"] + result.counts["sound"] > 0


def test_the_table_of_trust_is_made():
    command = [sys.executable, str(TRUST), "--jobs", "2", "changed history"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    row = "| changed history | 40 changed histories | every one refused in a sentence | yes |"
    assert done.stdout.startswith(row)
