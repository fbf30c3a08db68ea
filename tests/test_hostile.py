"""Whatever a stranger writes, it is read or refused in a sentence; nothing else happens."""

from __future__ import annotations

import pytest

import fuzzers


@pytest.fixture(scope="module", params=fuzzers.targets(), ids=lambda target: target.name)
def target(request):
    return request.param


def test_mutated_texts_are_read_or_refused(target, cases):
    assert "" in [fuzzers.tried(target, sample) for sample in target.samples]
    score = fuzzers.attack(target, cases(120, 20_000))
    assert score.faults == []
