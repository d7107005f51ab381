"""Written results: what a caller does with results that it has read, it writes into them.

The rule: a result belongs to whoever called. Who uses its memory again writes every element of it;
zeros that were laid there once, or an answer that is kept, are then not what they were. Memory
that is also an input's, a parameter's or a buffer's is left alone.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from typing import Any

import torch

Span = tuple[int, int]  # first address, and the one behind the last


def write_over(results: Iterable[Any], kept: Sequence[Span]) -> None:
    """Other values in every plain result in host memory that shares none with what is kept."""
    for result in results:
        if type(result) is not torch.Tensor or not result.is_cpu or not result.numel():
            continue
        if result.layout is not torch.strided or result.is_nested:
            continue
        begin, end = _span(result)
        folded = result.numel() * result.element_size() > end - begin
        if folded or any(begin < last and first < end for first, last in kept):
            continue
        # Where memory may only be read, or a kind of tensor allows no change, nothing is asked.
        with contextlib.suppress(RuntimeError), torch.inference_mode():
            _change(result)


def spans(values: Iterable[Any]) -> list[Span]:
    """Where tensors lie in host memory."""
    return [
        _span(value)
        for value in values
        if isinstance(value, torch.Tensor)
        and value.is_cpu
        and value.layout is torch.strided
        and not value.is_nested
        and value.numel()
    ]


def _span(tensor: torch.Tensor) -> Span:
    lengths = zip(tensor.shape, tensor.stride(), strict=True)
    places = 1 + sum((length - 1) * stride for length, stride in lengths)
    begin = tensor.data_ptr()
    return begin, begin + places * tensor.element_size()


def _change(result: torch.Tensor) -> None:
    """NaN in numbers with a fraction, the largest integer, the other truth value."""
    if result.dtype is torch.bool:
        result.logical_not_()
    elif result.is_floating_point() or result.is_complex():
        result.fill_(torch.nan)
    else:
        result.fill_(torch.iinfo(result.dtype).max)
