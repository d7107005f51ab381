"""Content: the arguments of one call, and the same with a few secretly placed elements changed."""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import torch

from assay.worker.host.layout import span


@dataclass(frozen=True)
class Content:
    """Arguments as drawn: tensors with their real strides, other values as they are."""

    inputs: tuple[Any, ...]

    @property
    def tensors(self) -> list[torch.Tensor]:
        """The tensor arguments, in order."""
        return [v for v in self.inputs if isinstance(v, torch.Tensor)]

    @property
    def elements(self) -> int:
        """Of all tensor arguments together."""
        return sum(t.numel() for t in self.tensors)


def few_changed(content: Content, rng: random.Random, count: int = 3) -> Content:
    """The same content but for a few elements of its largest float (else integer) input.

    A float is scaled by a factor between two and three, or divided by it (the sign, the zeros and
    so the domain stay); an integer takes the value of another element (the range stays).
    """
    candidates = [i for i, v in enumerate(content.inputs) if _changeable(v)]
    if not candidates:
        return content
    floats = [i for i in candidates if content.inputs[i].is_floating_point()]
    chosen = max(floats or candidates, key=lambda i: content.inputs[i].numel())
    inputs = list(content.inputs)
    inputs[chosen] = _changed(inputs[chosen], rng, count)
    return Content(tuple(inputs))


def _changeable(value: Any) -> bool:
    return isinstance(value, torch.Tensor) and value.numel() > 0 and not value.is_complex()


def _changed(tensor: torch.Tensor, rng: random.Random, count: int) -> torch.Tensor:
    twin = _same_storage_layout(tensor)
    for _ in range(count):
        index = tuple(rng.randrange(n) for n in tensor.shape)
        if tensor.is_floating_point():
            factor = rng.uniform(2.0, 3.0)
            value = float(twin[index])
            twin[index] = value * factor if abs(value) < 1.0 else -value / factor
            if value >= 0 and float(tensor.min()) >= 0:
                twin[index] = value / factor
        else:
            other = tuple(rng.randrange(n) for n in tensor.shape)
            twin[index] = tensor[other]
    return twin


def _same_storage_layout(tensor: torch.Tensor) -> torch.Tensor:
    """A copy with the same shape, strides and gap bytes."""
    flat = tensor.detach().as_strided((span(tensor),), (1,)).clone()
    return flat.as_strided(tensor.shape, tensor.stride())
