"""What the child hands over: the leaves of every kind of result, and buffers beside none."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from dataclasses import dataclass
from typing import Any

import pytest
import torch

from assay.sandbox.child.batch import flatten
from assay.tasks.references.reference_outputs import flatten as flattened_reference


@dataclass
class Pair:
    first: Any
    second: Any


ONE, TWO = torch.zeros(1), torch.ones(2)


@pytest.mark.parametrize(
    "value",
    [
        ONE,
        (ONE, TWO),
        [ONE, (TWO, None)],
        {"a": ONE, "b": {"c": TWO}},
        OrderedDict(b=ONE, a=TWO),
        UserDict(a=ONE),
        Pair(ONE, Pair(TWO, 3)),
        TWO.sort(),
        (1, 2.5, True, 1j),
        None,
    ],
)
def test_the_child_finds_what_the_judge_finds(value: Any) -> None:
    wanted = [tensor for _, tensor in flattened_reference(value)]
    found = flatten(value)
    assert len(found) == len(wanted)
    assert all(a.dtype == b.dtype and torch.equal(a, b) for a, b in zip(found, wanted, strict=True))
