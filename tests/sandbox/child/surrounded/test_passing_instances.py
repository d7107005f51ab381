"""When one more instance is made for a single call."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest
import torch
from torch import nn

from assay.sandbox.child.surrounded import passing_instances
from assay.sandbox.child.surrounded.passing_instances import ALLOWANCE_S, PassingInstances


class Clock:
    """Stands still but in a constructor, which takes the next of these times."""

    def __init__(self, *taken: float) -> None:
        self._now, self._taken = 0.0, iter(taken)

    def monotonic(self) -> float:
        return self._now

    def construct(self) -> nn.Module:
        self._now += next(self._taken)
        return nn.ReLU()


@pytest.fixture
def clocked(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., Clock]]:
    def made(*taken: float) -> Clock:
        clock = Clock(*taken)
        monkeypatch.setattr(passing_instances, "time", clock)
        return clock

    yield made


def _turns(passing: PassingInstances) -> int:
    count = 0
    while count < 1000 and (make := passing.maker(0)) is not None:
        make()
        count += 1
    return count


def test_a_machine_that_stood_still_once_costs_no_turn(clocked: Callable[..., Clock]) -> None:
    clock, passing = clocked(0.5 * ALLOWANCE_S, *[1e-6] * 2000), PassingInstances()
    assert isinstance(passing.construct(0, clock.construct), nn.ReLU)
    assert _turns(passing) == 1000


def test_a_slow_constructor_is_called_as_often_as_the_allowance_lasts(
    clocked: Callable[..., Clock],
) -> None:
    clock, passing = clocked(*[0.3 * ALLOWANCE_S] * 10), PassingInstances()
    passing.construct(0, clock.construct)
    assert _turns(passing) == 3


def test_one_slower_than_the_allowance_is_not_called_again(clocked: Callable[..., Clock]) -> None:
    clock, passing = clocked(1.1 * ALLOWANCE_S), PassingInstances()
    passing.construct(0, clock.construct)
    assert passing.maker(0) is None


def test_a_module_with_state_and_one_that_was_never_made_have_no_others() -> None:
    passing = PassingInstances()
    passing.construct(0, lambda: nn.Linear(2, 2))
    assert passing.maker(0) is None and passing.maker(1) is None


def test_an_instance_that_is_made_is_a_new_one() -> None:
    passing = PassingInstances()
    first = passing.construct(0, nn.ReLU)
    make = passing.maker(0)
    assert make is not None and isinstance(make(), nn.ReLU) and make() is not first
    assert isinstance(make()(torch.ones(1)), torch.Tensor)
