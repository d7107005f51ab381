"""Whose fault it is when a task's code does not come to its end."""

from __future__ import annotations

import random

import numpy as np
import pytest
import torch

from assay.errors import TaskError, Terminated
from assay.tasks.references.task_source import kept_generators, seed_everything, user_code


@pytest.mark.parametrize("error", [ValueError("no"), SystemExit(0), AssertionError()])
def test_what_its_code_raises_is_the_tasks(error: BaseException) -> None:
    with pytest.raises(TaskError, match=type(error).__name__), user_code("mine", "loading"):
        raise error


@pytest.mark.parametrize("error", [Terminated(15), KeyboardInterrupt()])
def test_a_signal_while_it_runs_is_not(error: BaseException) -> None:
    with pytest.raises(type(error)), user_code("mine", "loading"):
        raise error


def states() -> tuple[object, ...]:
    """Of the generators that a task may draw from."""
    legacy = np.random.get_state(legacy=True)
    assert isinstance(legacy, tuple)
    numbers = legacy[1].tolist(), legacy[2]
    return (numbers, random.getstate(), torch.get_rng_state().tolist())


def draw() -> None:
    np.random.random()
    random.random()
    torch.rand(1)


def test_generators_are_as_they_were_whatever_was_drawn() -> None:
    draw()
    before = states()
    with pytest.raises(ValueError, match="raised"), kept_generators():
        seed_everything(7)
        draw()
        raise ValueError("raised")
    assert states() == before


def test_what_was_seeded_within_is_not_disturbed_by_another_use_within() -> None:
    with kept_generators():
        seed_everything(7)
        expected = np.random.random(3).tolist()
        seed_everything(7)
        first = np.random.random()
        with kept_generators():
            seed_everything(8)
            draw()
        assert [first, *np.random.random(2)] == expected


def test_the_callers_numpy_generator_is_laid_aside() -> None:
    own = np.random.get_bit_generator()
    with kept_generators():
        assert np.random.get_bit_generator() is not own
    assert np.random.get_bit_generator() is own
