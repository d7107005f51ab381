"""The naive check: what most evaluators do, in a few lines. It stands here to be compared with.

The rule: reference and candidate in one process, one shape, five seeds, `allclose` at 1e-4. Nothing
is imported from Assay: the process it runs in does not see Assay's files.
"""

from __future__ import annotations

import importlib.util
import sys
from types import ModuleType

import torch

SEEDS = range(5)
TOLERANCE = 1e-4


class NaiveCheck:
    """Constructing it checks; a candidate that is not accepted raises, or ends the process."""

    def __init__(self, task_path: str, candidate_path: str, entry: str = "Model") -> None:
        task, candidate = load("task", task_path), load("candidate", candidate_path)
        torch.manual_seed(SEEDS[0])
        model = getattr(task, entry)(*task.get_init_inputs())
        torch.manual_seed(SEEDS[0])  # the same weights, as long as both draw in the same order
        new = candidate.ModelNew(*task.get_init_inputs())
        with torch.no_grad():
            for seed in SEEDS:
                torch.manual_seed(seed)
                inputs = task.get_inputs()
                expected = model(*inputs)
                got = new(*inputs)
                assert same(expected, got)


def same(expected: object, got: object) -> bool:
    """Shape and value, output by output."""
    pairs = list(zip(outputs(expected), outputs(got), strict=True))
    return all(
        one.shape == other.shape and torch.allclose(one, other, atol=TOLERANCE, rtol=TOLERANCE)
        for one, other in pairs
    )


def outputs(result: object) -> list[torch.Tensor]:
    return [*result] if isinstance(result, list | tuple) else [result]  # type: ignore[list-item]


def load(name: str, path: str) -> ModuleType:
    spec = importlib.util.spec_from_file_location(name, path)
    assert spec is not None and spec.loader is not None
    module = sys.modules[name] = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
