"""Random training: references that are random in training mode and not in eval mode.

The rule: found by trying. Only eval() has an answer that a candidate can be held to, so such a
reference is asked in eval() alone, and verdicts say so. One that declares its law keeps its mode.
"""

from __future__ import annotations

import re

import torch

from assay.errors import TaskError
from assay.tasks.references.bound_reference import BoundReference
from assay.tasks.references.task_source import (
    TaskModule,
    kept_generators,
    seed_everything,
    user_code,
)

_SEED = 5
_RANDOM = re.compile("drop|rrelu|training|transformer|multiheadattention", re.IGNORECASE)


def is_random_in_training(module: TaskModule) -> bool:
    """Whether calls as constructed, in training mode, follow the seed, and calls in eval() do not.

    `module` has sizes at which a call is cheap.
    """
    task = module.task
    if task.contract is not None or not _RANDOM.search(task.source):
        return False
    try:
        with user_code(task.id, "the reference"), kept_generators(), torch.no_grad():
            seed_everything(_SEED)
            inputs, built = module.inputs(_SEED), module.build(module.init_call())
        if not built.training or BoundReference(task.id, built).repeats(inputs, {}):
            return False
        return BoundReference(task.id, built.eval()).repeats(inputs, {})
    except TaskError:
        return False
