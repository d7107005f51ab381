"""In which states of the process and of the module calls are made."""

from __future__ import annotations

from itertools import pairwise
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.data.workload import Direction
from assay.exam.call_reading import BatchId
from assay.exam.for_candidate.call_surroundings import surroundings_of
from assay.exam.script import BatchKind
from assay.exam.secret import Secret
from assay.sandbox.protocol.surroundings import USUAL, Surroundings


def _made(
    secret: str, direction: Direction = Direction.FORWARD, **changes: Any
) -> list[Surroundings]:
    """Those of the first fifty batches."""
    task = SimpleNamespace(contract=None, source="")
    exam = SimpleNamespace(
        stateful=False,
        reference=SimpleNamespace(updates=(), task=task),
        secret=Secret(secret),
        plan=SimpleNamespace(workloads=(SimpleNamespace(direction=direction),)),
    )
    batch = SimpleNamespace(kind=BatchKind.PLAIN, twin=0)
    vars(exam).update(changes)
    asked = (BatchId(number=number) for number in range(50))
    return [surroundings_of(cast(Any, exam), one, cast(Any, batch), True) for one in asked]


def _trained(secret: str, direction: Direction = Direction.FORWARD, **changes: Any) -> list[int]:
    """The numbers of the batches whose inputs require gradients."""
    made = _made(secret, direction, **changes)
    return [number for number, around in enumerate(made) if around.trained]


STATES = ("recording", "trained", "other_thread", "frozen", "other_mode", "one_thread", "passing")


@pytest.mark.parametrize("secret", [f"{n:032x}" for n in range(20)])
def test_no_run_leaves_a_state_out_by_chance(secret: str) -> None:
    made = _made(secret)
    for state in STATES:
        assert sum(getattr(around, state) for around in made) in range(2, 12), state


@pytest.mark.parametrize("secret", ["00" * 16, "5a" * 16, "ff" * 16])
def test_one_batch_in_five_has_inputs_that_require_gradients(secret: str) -> None:
    found = _trained(secret)
    assert len(found) == 10 and found[0] < 5
    assert {later - earlier for earlier, later in pairwise(found)} == {5}


def test_which_of_five_it_is_is_drawn() -> None:
    assert len({_trained(f"{n:032x}")[0] for n in range(40)}) == 5


def test_a_task_of_gradients_and_one_with_state_are_asked_in_the_usual_way() -> None:
    assert _trained("00" * 16, Direction.BACKWARD) == []
    assert _trained("00" * 16, stateful=True) == []
    assert not USUAL.trained
