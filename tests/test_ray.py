"""The backend ray, for real: local nodes of which one is killed, and this machine alone."""

from __future__ import annotations

import importlib.util
import os
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest

from conftest import few
from evoboard.arena.backends import ray
from evoboard.arena.backends.base import find_backend
from evoboard.core.errors import OptionError

NODES = Path(__file__).parent / "ray_nodes.py"


@pytest.fixture(scope="module", params=few([1, 2, 3], 1))
def lines(request):
    """Return what the script says of so many nodes; it ends in an error where one was.

    A node takes seconds to start and to be missed: `make test` has this machine alone.
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", str(NODES), str(request.param)],
        check=False, env=os.environ, capture_output=True, text=True, timeout=900,
    )  # fmt: skip
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("lines", few([2, 3]), indirect=True)
def test_a_run_is_the_same_on_nodes_of_which_one_is_killed(lines):
    assert "equal runs of 3 generations; a node was killed after" in lines


def test_this_machine_alone_plays_the_same_games(lines):
    assert "equal games on this machine alone, and by the next backend at once" in lines


@pytest.mark.parametrize(
    "said",
    [
        "nothing answers at 127.0.0.1:9 (",
        "'nowhere' is not the address of a cluster; write ray:HOST:PORT",
    ],
)
def test_what_is_wrong_with_an_address_is_said_in_a_sentence(lines, said):
    assert said in lines


@pytest.mark.parametrize("lines", few([2, 3]), indirect=True)
@pytest.mark.parametrize(
    "said",
    [
        "cannot play: it would play with different rules or arithmetic (",
        "cannot play: there is no file ",
    ],
)
def test_what_is_wrong_with_a_nodes_files_is_said_in_a_sentence(lines, said):
    assert said in lines


def test_without_ray_the_remedy_is_named(monkeypatch):
    monkeypatch.setattr(ray.importlib.util, "find_spec", lambda name: None)
    with pytest.raises(OptionError, match=r"pip install 'evoboard\[cluster\]' adds it"):
        ray.Backend()


def test_workers_are_waited_for_from_when_they_are_asked_for(monkeypatch):
    """Not from when the backend was made: kernels may have been compiled for minutes since."""

    def wait(*_asked, **_how):
        raise InterruptedError("they are waited for")

    worker = SimpleNamespace(ready=SimpleNamespace(remote=object))
    made = SimpleNamespace(remote=lambda: worker)
    fake = SimpleNamespace(put=id, wait=wait, remote=lambda **_how: lambda kind: made)
    monkeypatch.setattr(ray, "_ray", lambda: fake)
    monkeypatch.setattr(ray, "_join", lambda address, threads: ray._Pool(threads, address))
    monkeypatch.setattr(ray, "_job", lambda *_asked: None)
    backend = ray.Backend(1)
    backend._pool.idle_since -= 2 * ray.PATIENCE
    with pytest.raises(InterruptedError, match="they are waited for"):
        backend._spread(None, np.arange(3), print)


def test_games_that_every_worker_dies_of_are_given_up(monkeypatch):
    class Died(Exception):
        pass

    def get(answer):
        if answer.startswith("played"):
            raise Died

    numbers = iter(range(1000))  # and no more

    def make():
        def answers(word):
            return SimpleNamespace(remote=lambda *_asked: f"{word} {next(numbers)}")

        return SimpleNamespace(ready=answers("ready"), play=answers("played"))

    fake = SimpleNamespace(
        put=id, get=get, wait=lambda asked, **_how: (asked[:1], asked[1:]),
        remote=lambda **_how: lambda kind: SimpleNamespace(remote=make),
        exceptions=SimpleNamespace(RayActorError=Died, ObjectLostError=Died),
    )  # fmt: skip
    monkeypatch.setattr(ray, "_ray", lambda: fake)
    monkeypatch.setattr(ray, "_join", lambda address, threads: ray._Pool(threads, address))
    monkeypatch.setattr(ray, "_job", lambda *_asked: None)
    backend = ray.Backend(2)
    with pytest.raises(OptionError, match="10 workers have died playing the same games; is there"):
        backend._spread(None, np.arange(3), print)


def test_a_process_has_one_cluster(monkeypatch):
    monkeypatch.setattr(ray, "_ray", lambda: SimpleNamespace(is_initialized=lambda: True))
    monkeypatch.setattr(ray, "_pools", {"10.0.0.5:6379": "the pool"})
    assert ray._join("10.0.0.5:6379", 1) == "the pool"
    with pytest.raises(OptionError, match=r"uses the cluster 10\.0\.0\.5:6379, and Ray knows"):
        ray._join("10.0.0.6:6379", 1)


def test_only_a_backend_that_has_one_takes_an_address():
    with pytest.raises(OptionError, match="the backend cpu has no address; leave out 'x:1'"):
        find_backend("cpu:x:1")


def test_ray_is_not_loaded_for_others():
    code = (
        "import sys; from evoboard.arena.backends.base import find_backend; find_backend('cpu'); "
        "sys.exit('ray' in sys.modules)"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
    assert importlib.util.find_spec("ray")
