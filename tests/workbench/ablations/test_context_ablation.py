"""The difference that a part of the context makes is said with its interval."""

from __future__ import annotations

from assay.data.verdict import Status
from assay.scores.graded import Graded, GradedTask
from assay.workbench.ablations.context_ablation import context_ablation

TASKS = [GradedTask(name=f"t{number}") for number in range(8)]


def entries(accepted: int, speed: float = 1.0) -> list[Graded]:
    """Four candidates a task, of which so many are accepted."""
    return [
        Graded(
            task=task.name,
            candidate_id=f"{task.name}{place}",
            status=Status.ACCEPTED if place < accepted else Status.INCORRECT,
            speedup=speed * (1 + place / 100) if place < accepted else None,
        )
        for task in TASKS
        for place in range(4)
    ]


def test_a_part_that_helps_is_said_to() -> None:
    found = context_ablation("context limits", TASKS, entries(3, 2.0), entries(1, 1.0))
    assert (found.accepted_with, found.accepted_without, found.difference) == (0.75, 0.25, 0.5)
    assert found.low == found.high == 0.5 and "it helps" in found.sentence
    assert found.paired.ratio is not None and found.paired.ratio > 1.9
    assert "with context limits is faster" in found.paired.sentence


def test_no_difference_is_said_to_be_none() -> None:
    mixed = [*entries(1)[:16], *entries(3)[16:]]
    swapped = [*entries(3)[:16], *entries(1)[16:]]
    found = context_ablation("feedback", TASKS, mixed, swapped)
    assert found.difference == 0 and "no difference shown" in found.sentence


def test_a_part_that_harms_is_said_to() -> None:
    assert "it harms" in context_ablation("feedback", TASKS, entries(1), entries(3)).sentence


def test_one_task_shows_no_interval() -> None:
    one = [TASKS[0]]
    found = context_ablation("feedback", one, entries(3)[:4], entries(1)[:4])
    assert found.low is None and "no interval" in found.sentence
