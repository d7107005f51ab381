"""Content: the arguments of one call, and the same with a few secretly placed elements changed."""

from __future__ import annotations

import cmath
import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch

from assay.sandbox.host.tensor_bytes import on_device, span

_TRIES = 8  # pairs of elements, of which the one farthest apart is taken


@dataclass(frozen=True)
class Content:
    """Arguments as drawn: tensors with their real strides, other values as they are."""

    inputs: tuple[Any, ...]

    @property
    def tensors(self) -> list[torch.Tensor]:
        """The tensor arguments, in order."""
        return [v for v in self.inputs if isinstance(v, torch.Tensor)]

    def tensor_numbers(self, positions: tuple[int, ...]) -> list[int]:
        """Where the arguments at these positions stand among the tensor arguments."""
        tensors = [i for i, v in enumerate(self.inputs) if isinstance(v, torch.Tensor)]
        return [tensors.index(position) for position in positions]

    @property
    def on_device(self) -> bool:
        """Whether its tensors lie in the memory of a device: then so do the answers to it."""
        return any(on_device(tensor) for tensor in self.tensors)

    @property
    def elements(self) -> int:
        """Of all tensor arguments together."""
        return sum(t.numel() for t in self.tensors)


def few_changed(
    content: Content,
    rng: random.Random,
    count: int = 3,
    extreme: bool = False,
    position: int | None = None,
) -> Content:
    """The same content but for a few elements of one input: its largest float (else integer) one.

    An element takes the value of another one, so range, sign and structure stay; both are chosen
    among those that are not zero, as far apart as a few tries find them. With `extreme` it is the
    largest or the smallest elements that change or change places: a maximum moves only then.
    Of symmetric matrices whole ones change.
    """
    candidates = [i for i, v in enumerate(content.inputs) if _changeable(v)]
    if not candidates:
        return content
    floats = [i for i in candidates if _has_fractions(content.inputs[i])]
    chosen = max(floats or candidates, key=lambda i: content.inputs[i].numel())
    chosen = chosen if position is None else position
    inputs = list(content.inputs)
    change = _moved_extremes if extreme else _changed
    change = _mixed_members if is_symmetric(inputs[chosen]) else change
    inputs[chosen] = change(inputs[chosen], rng, count)
    return Content(tuple(inputs))


def is_symmetric(tensor: torch.Tensor) -> bool:
    """A batch of symmetric matrices: the task may rely on it."""
    if tensor.dim() < 2 or tensor.shape[-1] != tensor.shape[-2] or tensor.shape[-1] < 2:
        return False
    return torch.equal(tensor, tensor.transpose(-1, -2))


def _mixed_members(tensor: torch.Tensor, rng: random.Random, count: int) -> torch.Tensor:
    """A few of the symmetric matrices become means of two, or three quarters of themselves.

    That keeps what a task may rely on: definite matrices stay definite, as single elements would
    not let them.
    """
    duplicate = _same_storage_layout(tensor)
    members = duplicate.reshape(-1, *tensor.shape[-2:])
    for _ in range(min(count, len(members))):
        one, other = rng.randrange(len(members)), rng.randrange(len(members))
        mixed = members[one] * 0.75 if one == other else (members[one] + members[other]) * 0.5
        place = np.unravel_index(one, tensor.shape[:-2]) if tensor.dim() > 2 else ()
        duplicate[tuple(map(int, place))] = mixed.to(duplicate.dtype)
    return duplicate


def _changeable(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() > 0


def _has_fractions(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _changed(tensor: torch.Tensor, rng: random.Random, count: int) -> torch.Tensor:
    duplicate = _same_storage_layout(tensor)
    for _ in range(count):
        pairs = [(_position(tensor, rng), _position(tensor, rng)) for _ in range(_TRIES)]
        to, source = max(pairs, key=lambda pair: _distance(tensor, *pair))
        duplicate[to] = tensor[source]
    if tensor.numel() == 1 and _has_fractions(tensor):
        duplicate.mul_(0.75)
    return duplicate


def _moved_extremes(tensor: torch.Tensor, rng: random.Random, count: int) -> torch.Tensor:
    """Extremes change places or go; the range holds, and no value is there twice that was not."""
    duplicate = _same_storage_layout(tensor)
    sizes = duplicate.reshape(-1).abs() if duplicate.is_complex() else duplicate.reshape(-1)
    order = sizes.double().nan_to_num().argsort(descending=rng.random() < 0.5)
    for number in range(min(count, duplicate.numel())):
        at = np.unravel_index(int(order[number]), duplicate.shape)
        other = _position(duplicate, rng)
        extreme, value = duplicate[at].clone(), duplicate[other].clone()
        if number % 2 == 0:
            duplicate[at], duplicate[other] = value, extreme
        elif _has_fractions(duplicate):
            duplicate[at] = 0.5 * (value + extreme)
    return duplicate


def _position(tensor: torch.Tensor, rng: random.Random) -> tuple[int, ...]:
    return tuple(rng.randrange(n) for n in tensor.shape)


def _distance(tensor: torch.Tensor, to: tuple[int, ...], source: tuple[int, ...]) -> float:
    old, new = tensor[to].item(), tensor[source].item()
    if not (cmath.isfinite(old) and cmath.isfinite(new)) or old == 0.0 or new == 0.0:
        return -1.0
    return abs(new - old)


def _same_storage_layout(tensor: torch.Tensor) -> torch.Tensor:
    """A copy with the same shape, strides and gap bytes."""
    flat = tensor.detach().as_strided((span(tensor),), (1,)).clone()
    return flat.as_strided(tensor.shape, tensor.stride())
