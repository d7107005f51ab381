"""Marked values: masks that are all ones, and labels that an operator is told to leave out.

The rule: a value is drawn only where the task itself names it. An input of nothing but ones (or of
nothing but zeros) is a mask that the own generator leaves open, so zeros and ones are its domain;
an ignored label or a padding index is an argument of an operator that the reference calls with that
input. A mark that is merely an operator's default is nobody's promise, and stays away, although
the operator compares its labels with it (`cross_entropy` with `label_smoothing` does).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import torch
from torch.overrides import TorchFunctionMode

from assay.tasks.values.integer_domains import LEAST_MASK
from assay.tasks.values.reference_constants import ConstantWatch

_OPEN_SHARE = 0.7  # of a mask
_MARKED_SHARE = 0.25  # of labels
_ARGUMENTS = {"ignore_index": (-100,), "padding_idx": (None, -1)}  # with what says "none"


@dataclass
class Marks(TorchFunctionMode):
    """Listens to a reference and notes which mark belongs to which of its inputs.

    What an operator does with its own default is kept from `constants`.
    """

    inputs: Sequence[Any]
    constants: ConstantWatch
    found: dict[int, int] = field(default_factory=dict)

    def __post_init__(self) -> None:
        super().__init__()

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Note explicit marks, then go on."""
        kwargs, defaults = kwargs or {}, []
        for name, silent in _ARGUMENTS.items():
            value = kwargs.get(name)
            if isinstance(value, int) and value not in silent:
                self._note([*args, *kwargs.values()], value)
            elif isinstance(value, int):
                defaults.append(value)
        with self.constants.without(defaults):
            return func(*args, **kwargs)

    def _note(self, arguments: list[Any], value: int) -> None:
        given = {a.data_ptr() for a in arguments if _is_label(a)}
        for index, tensor in enumerate(self.inputs):
            if _is_label(tensor) and tensor.data_ptr() in given:
                self.found[index] = value


def _is_label(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and not value.is_floating_point() and value.numel() > 0


def open_masks(inputs: Sequence[Any]) -> list[int]:
    """Inputs that are masks which mask nothing."""
    return [i for i, value in enumerate(inputs) if _is_open_mask(value)]


def _is_open_mask(value: Any) -> bool:
    if not isinstance(value, torch.Tensor) or value.numel() < LEAST_MASK or value.is_complex():
        return False
    first = value.reshape(-1)[0]
    return float(first) in (0.0, 1.0) and bool((value == first).all())


def close_masks(inputs: list[Any], generator: torch.Generator) -> None:
    """Random zeros and ones in place of ones; the first of a row stays."""
    for index in open_masks(inputs):
        own = inputs[index]
        keep = torch.rand(own.shape, generator=generator) < _OPEN_SHARE
        keep[..., 0] = True
        inputs[index] = torch.where(keep, own, (1 - own.to(torch.int8)).to(own.dtype))


def put_marks(
    inputs: list[Any], marks: Mapping[int, Sequence[int]], generator: torch.Generator
) -> None:
    """A quarter of the labels become marks of their input; at least one mark and one label."""
    for index, values in marks.items():
        own = inputs[index]
        if own.numel() < 2:
            continue
        marked = torch.rand(own.shape, generator=generator) < _MARKED_SHARE
        marked.view(-1)[0], marked.view(-1)[-1] = False, True
        which = torch.randint(0, len(values), own.shape, generator=generator)
        chosen = torch.tensor(values)[which].to(own.dtype)
        inputs[index] = torch.where(marked, chosen, own)
