"""Generate: the n-th module of a seed."""

from __future__ import annotations

import random

from fuzzing.arguments import add_arguments
from fuzzing.draft import Draft, Module
from fuzzing.results import add_result
from fuzzing.steps import add_steps


def generated(seed: int, number: int) -> Module:
    """The same for the same seed and number, in any process."""
    draft = Draft(random.Random(f"{seed}/{number}"))
    add_arguments(draft)
    add_steps(draft)
    if draft.chance.random() < 0.1 and draft.inputs.get("x", "").startswith("torch.rand"):
        draft.body.append("x.mul_(2)")
        draft.has("updated input")
    add_result(draft)
    return draft.finished(number)
