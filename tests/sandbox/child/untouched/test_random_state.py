"""Generators: calls may draw from them or leave them, and may not set them back."""

from __future__ import annotations

import random
from collections.abc import Callable

import numpy as np
import pytest
import torch

from assay.sandbox.child.untouched.random_state import RandomState


def _left(call: Callable[[], object]) -> set[str]:
    state = RandomState()
    for _ in range(4):
        call()
        state.look()
    return {line.partition("\t")[0] for line in state.lines()}


def _forked() -> None:
    with torch.random.fork_rng(devices=[]):
        torch.manual_seed(5)
        torch.rand(9)


@pytest.mark.parametrize("call", [lambda: None, lambda: torch.rand(700), random.random, _forked])
def test_drawing_and_giving_back_is_no_setting_back(call: Callable[[], object]) -> None:
    assert _left(call) == set()


def test_seeding_is() -> None:
    assert _left(lambda: torch.manual_seed(5)) == {"torch.seed"}
    assert _left(lambda: torch.manual_seed(torch.initial_seed())) == {"torch.seed"}
    assert _left(lambda: np.random.seed(5)) == {"numpy.seed"}
    assert _left(lambda: random.seed(5)) == {"random.seed"}


def test_what_others_seed_is_forgotten() -> None:
    state = RandomState()
    for _ in range(3):
        torch.manual_seed(5)
        state.forget()
        state.look()
    assert state.lines() == []
