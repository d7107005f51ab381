"""Shared results: which outputs of a call lie in memory of another output, of an input, or of a
result that is still alive, and how each lies by itself.

The rule: addresses alone are compared, byte by byte exactly: views of one allocation that only
alternate in it do not share memory.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from assay.sandbox.protocol.replies import OutputFlag

_WORK = 1 << 16  # candidate solutions that are tried before two tensors count as apart
_PADDING = 32  # elements between rows that begin at multiples of a vector or of a cache line


@dataclass(frozen=True)
class Addresses:
    """The bytes of one tensor, as an array that nothing reads."""

    shape: tuple[int, ...]
    strides: tuple[int, ...]
    address: int
    itemsize: int

    @property
    def __array_interface__(self) -> dict[str, Any]:
        return {
            "version": 3,
            "shape": self.shape,
            "strides": self.strides,
            "typestr": f"|V{self.itemsize}",
            "data": (self.address, True),
        }


def memory_flags(
    outputs: Sequence[Any], inputs: Iterable[Any], others: Iterable[Any]
) -> list[OutputFlag]:
    """What each output shares: with another output of its call, with an input, with a result."""
    given, alive = _arrays(inputs), _arrays(others)
    own = [_arrays([leaf]) for leaf in outputs]
    flags = []
    for number, mine in enumerate(own):
        beside = [array for i, arrays in enumerate(own) if i != number for array in arrays]
        kinds = (
            (OutputFlag.WITHIN, beside),
            (OutputFlag.OF_INPUT, given),
            (OutputFlag.SHARED, alive),
        )
        found = OutputFlag(0)
        for flag, arrays in kinds:
            if any(_overlap(one, other) for one in mine for other in arrays):
                found |= flag
        flags.append(found | _own_flags(outputs[number]))
    return flags


def _own_flags(output: Any) -> OutputFlag:
    """What it is by itself: fewer places in memory than elements, or no plain copy."""
    if type(output) is not torch.Tensor or output.layout is not torch.strided:
        return OutputFlag(0)
    lengths = zip(output.shape, output.stride(), strict=True)
    places = 1 + sum((length - 1) * stride for length, stride in lengths)
    folded = OutputFlag.FOLDED if output.numel() > max(0, places) else OutputFlag(0)
    return folded | (OutputFlag(0) if _lies_in_order(output) else OutputFlag.MOVED_LATER)


def _lies_in_order(output: torch.Tensor) -> bool:
    """Whether element lies behind element; rows may be padded."""
    pairs = zip(output.shape, output.stride(), strict=True)
    dims = [(length, stride) for length, stride in pairs if length != 1]
    if output.is_contiguous() or dims[-1][1] != 1:
        return output.is_contiguous()
    inner = zip(dims[1:], dims, strict=False)
    return all(0 <= stride - length * step <= _PADDING for (length, step), (_, stride) in inner)


def _arrays(values: Iterable[Any]) -> list[np.ndarray[Any, Any]]:
    """Of every plain tensor; a Python number lies nowhere."""
    return [
        np.asarray(
            Addresses(
                tuple(value.shape),
                tuple(stride * value.element_size() for stride in value.stride()),
                value.data_ptr(),
                value.element_size(),
            )
        )
        for value in values
        if type(value) is torch.Tensor and value.layout is torch.strided and value.numel()
    ]


def _overlap(one: np.ndarray[Any, Any], other: np.ndarray[Any, Any]) -> bool:
    if not np.may_share_memory(one, other):  # the bounds alone
        return False
    try:
        shares: Any = np.shares_memory  # its stub knows no limit of the work
        return bool(shares(one, other, max_work=_WORK))
    except np.exceptions.TooHardError:
        return False
