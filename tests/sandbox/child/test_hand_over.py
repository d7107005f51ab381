"""What the child hands over: the leaves of every kind of result, and errors that a call left."""

from __future__ import annotations

from collections import OrderedDict, UserDict
from dataclasses import dataclass, field
from types import SimpleNamespace
from typing import Any, cast

import pytest
import torch

from assay.sandbox.child.batch import Answer, flatten, hand_over
from assay.sandbox.protocol.replies import CallCode
from assay.sandbox.protocol.requests import Call, Slot
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


@dataclass
class _Device:
    """Of a call that left the error of a launch: the next operation tells it."""

    device = torch.device("cpu")
    records: list[bytes] = field(default_factory=list)
    copied: torch.Tensor = field(default_factory=lambda: torch.zeros(2))

    @property
    def accelerator(self) -> Any:
        return self

    def mark(self) -> None:
        raise RuntimeError("CUDA error: invalid argument")

    def flat(self, *_: Any) -> torch.Tensor:
        return self.copied

    def describe(self, *_: Any) -> None:
        pass

    def write(self, _: Slot, record: bytes) -> None:
        self.records.append(record)


@pytest.mark.parametrize("value", [torch.zeros(0, 3), (torch.zeros(0), torch.zeros(2, 0)), ()])
def test_an_error_that_an_empty_call_left_is_its_own(value: Any) -> None:
    """Told by a later call, it was held against that one, or against results that were kept."""
    memory = _Device()
    with pytest.raises(RuntimeError, match="invalid argument"):
        _handed(value, CallCode.RETURNED, memory)
    assert memory.records == []


def test_a_copy_tells_it_where_there_is_one_and_who_raised_has_said_so() -> None:
    memory = _Device()
    _handed((torch.ones(2), torch.zeros(0)), CallCode.RETURNED, memory)
    _handed(None, CallCode.RAISED, memory)
    assert len(memory.records) == 2 and torch.equal(memory.copied, torch.ones(2))


def _handed(value: Any, code: CallCode, memory: _Device) -> None:
    slots = (Slot(0, 0, 64), Slot(0, 64, 64))
    call = Call(0, (), Slot(0, 128, 64), slots)
    hand_over(call, Answer(code, value, 0), SimpleNamespace(), cast(Any, memory))
