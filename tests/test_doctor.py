"""evoboard doctor names what is there, what is missing, and the command that adds it."""

from __future__ import annotations

import json
import os

import pytest

from evoboard.cli import doctor


@pytest.fixture
def bare(monkeypatch, tmp_path):
    """Have a machine without programs, with a cache and runs of its own."""
    monkeypatch.setattr(doctor.shutil, "which", lambda name, path=None: None)
    monkeypatch.setenv("EVOBOARD_CACHE", str(tmp_path / "kernels"))
    monkeypatch.setenv("EVOBOARD_RUNS", str(tmp_path / "runs"))
    return tmp_path


def findings(capsys):
    doctor.doctor(as_json=True)
    return {one["name"]: one for one in json.loads(capsys.readouterr().out)}


def test_a_bare_machine_is_told_what_adds_the_rest(bare, capsys):
    found = findings(capsys)
    assert found["Python"]["ok"]
    assert found["numba"]["ok"]
    assert f"{os.cpu_count()} core" in found["threads"]["found"]
    assert found["kernel cache"] == {
        "name": "kernel cache", "ok": True, "add": "",
        "found": f"{bare / 'kernels'}: 0 kernels, 0 bytes",
    }  # fmt: skip
    assert not found["GPU"]["ok"]
    assert found["an engine"]["add"] == "apt install stockfish"
    assert found["a browser"]["add"] == "apt install chromium"
    doctor.doctor()
    assert "– an engine: none of stockfish" in capsys.readouterr().out


def test_kernels_are_counted_and_a_folder_that_is_none_is_told(bare, capsys, monkeypatch):
    (bare / "kernels").mkdir()
    (bare / "kernels" / "one.kernel").write_bytes(b"x" * 1500)
    assert findings(capsys)["kernel cache"]["found"].endswith("1 kernel, 2 KB")
    (bare / "file").touch()
    monkeypatch.setenv("EVOBOARD_CACHE", str(bare / "file"))
    cache = findings(capsys)["kernel cache"]
    assert not cache["ok"]
    assert cache["add"] == "export EVOBOARD_CACHE=A_FOLDER"


def test_runs_in_a_folder_that_cannot_be_looked_into_are_no_obstacle(bare, capsys, monkeypatch):
    monkeypatch.setenv("EVOBOARD_RUNS", str(bare / ("long" * 100)))
    assert "free for runs in" in findings(capsys)["disk"]["found"]


def test_a_missing_package_comes_with_its_extra(monkeypatch):
    def missing(name):
        raise doctor.importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(doctor.importlib.metadata, "version", missing)
    assert doctor._package("onnx", "export").add == "pip install 'evoboard[export]'"
    assert doctor._package("ray", "cluster").add == "pip install 'evoboard[cluster]'"


@pytest.mark.parametrize("answer, ok", [("NVIDIA H200, 580.1, 143771 MiB\n", True), ("", False)])
def test_a_gpu_is_named_with_its_driver(answer, ok, monkeypatch, tmp_path):
    program = tmp_path / "nvidia-smi"
    program.write_text(f"#!/bin/sh\nprintf '{answer}'\n")
    program.chmod(0o755)
    monkeypatch.setattr(doctor.shutil, "which", lambda name, path=None: str(program))
    monkeypatch.setattr(doctor.importlib.metadata, "version", lambda name: "0.30.4")
    found = doctor._gpu()
    assert found.ok is ok
    assert ("NVIDIA H200, 580.1" in found.found) is ok
