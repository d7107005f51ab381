"""Output memory: whether a reference returns memory of its own, each output apart from the others.

The rule: what the reference does a candidate may do. It is tried in both modes on private copies,
and a shared storage counts as shared memory.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from typing import Any

import torch
from torch import nn

from assay.tasks.references.module_copy import copied_module
from assay.tasks.references.reference_outputs import flatten


def outputs_apart(module: nn.Module, inputs: Sequence[Any]) -> bool:
    """Whether it is so in train() and in eval()."""
    return all(_apart(module, inputs, training) for training in {module.training, False})


def _apart(module: nn.Module, inputs: Sequence[Any], training: bool) -> bool:
    tried = copied_module(module)
    if tried.training is not training:
        tried.train(training)
    given = [v.clone() if isinstance(v, torch.Tensor) else copy.deepcopy(v) for v in inputs]
    outputs = [tensor for _, tensor in flatten(tried(*given))]
    taken = {_storage(v) for v in (*given, *tried.parameters(), *tried.buffers()) if _lies(v)}
    storages = [_storage(tensor) for tensor in outputs if _lies(tensor)]
    alone = len(set(storages)) == len(storages) and taken.isdisjoint(storages)
    return alone and not any(_is_folded(tensor) for tensor in outputs if _lies(tensor))


def _lies(value: Any) -> bool:
    """Whether it is a tensor with memory of a kind that is known here."""
    return isinstance(value, torch.Tensor) and value.layout is torch.strided and value.numel() > 0


def _is_folded(value: torch.Tensor) -> bool:
    """Whether it has fewer places in memory than elements, as an expanded tensor has."""
    lengths = zip(value.shape, value.stride(), strict=True)
    return value.numel() > 1 + sum((length - 1) * stride for length, stride in lengths)


def _storage(value: torch.Tensor) -> int:
    return value.untyped_storage().data_ptr()
