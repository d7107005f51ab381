"""SpreadChange: elements all over a tensor take the values of others, one in each short stretch.

The rule: a change is drawn as three numbers, so that it can be made in memory in one step and made
again to tell what a call was given. Zeros stay and nothing becomes zero: a triangle, a mask or a
padding keeps its structure. The step is a prime no longer than a row, so every row changes, and
nearly every column and tile: whoever keeps parts of an answer has none to use again.
"""

from __future__ import annotations

import random
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import torch

from assay.sandbox.host.call_content import Content, few_changed, is_symmetric
from assay.sandbox.host.tensor_bytes import from_bytes, span_bytes

Words = npt.NDArray[Any]  # a tensor's elements as unsigned integers of their size
_STEPS = (13, 31, 61, 127, 251)  # primes; every 251st element costs a tenth of writing all anew
_ORDERED = 64  # elements in which an order shows
_FEW = 16  # elements that change where a spread change would break the input's structure


@dataclass(frozen=True)
class SpreadChange:
    """Elements `first`, `first + step` ... take the values of `source`, `source + step` ..."""

    first: int
    source: int
    step: int

    @classmethod
    def draw(cls, tensor: torch.Tensor, rng: random.Random) -> SpreadChange:
        """One for this tensor: two different places within the step."""
        longest = min(tensor.shape[-1] if tensor.dim() else 1, tensor.numel() // 2)
        step = max((s for s in _STEPS if s <= longest), default=min(_STEPS[0], longest))
        first, source = rng.sample(range(max(2, step)), 2)
        return cls(first, source, max(2, step))

    def make(self, words: Words, given: Words) -> None:
        """Make it in `words`, with the values of `given`, what the tensor held at first."""
        old, new = given[self.first :: self.step], given[self.source :: self.step]
        if len(new) < len(old):  # the last place has none behind it
            new = np.append(new, given[self.source])
        places, new = words[self.first :: self.step], new[: len(old)]
        kept = (old == 0) | (new == 0)
        if kept.any():
            np.copyto(places, new, where=~kept)
        else:
            places[:] = new


def bears_spread(tensor: torch.Tensor) -> bool:
    """Whether elements all over it may change: dense, float, neither symmetric nor in order."""
    real = _has_numbers(tensor) and tensor.element_size() in (1, 2, 4, 8)
    dense = tensor.numel() > 1 and tensor.is_contiguous()
    return real and dense and not is_symmetric(tensor) and not _in_order(tensor)


def words_of(tensor: torch.Tensor) -> Words:
    """Its elements, not a copy."""
    return as_words(span_bytes(tensor), tensor)


def as_words(data: npt.NDArray[np.uint8], like: torch.Tensor) -> Words:
    """Bytes as elements of the size of another tensor's."""
    return data.view(f"u{like.element_size()}")


def with_changes(tensor: torch.Tensor, changes: list[SpreadChange]) -> torch.Tensor:
    """The tensor after these changes, one after the other; a tensor of its own."""
    given = words_of(tensor)
    words = given.copy()
    for change in changes:
        change.make(words, given)
    dtype = str(tensor.dtype).removeprefix("torch.")
    return from_bytes(words.view(np.uint8), dtype, tuple(tensor.shape))


def all_changed(
    content: Content, rng: random.Random, positions: tuple[int, ...] | None = None
) -> Content:
    """The content with every float input changed all over; a few elements where it cannot bear.

    With positions only those inputs.
    """
    for position in float_positions(content) if positions is None else positions:
        inputs = list(content.inputs)
        tensor = inputs[position]
        if bears_spread(tensor):
            inputs[position] = with_changes(tensor, [SpreadChange.draw(tensor, rng)])
            content = Content(tuple(inputs))
        else:
            content = few_changed(content, rng, _FEW, position=position)
    return content


def float_positions(content: Content) -> list[int]:
    """Where the float and complex inputs stand that may change by themselves.

    Not those of one element, which may be a step or a rate, nor those in ascending or descending
    order, which a search relies on.
    """
    tensors = [(i, v) for i, v in enumerate(content.inputs) if isinstance(v, torch.Tensor)]
    return [i for i, v in tensors if _has_numbers(v) and v.numel() > 1 and not _in_order(v)]


def _has_numbers(tensor: torch.Tensor) -> bool:
    return tensor.is_floating_point() or tensor.is_complex()


def _in_order(tensor: torch.Tensor) -> bool:
    """As the beginning of its first row shows; complex numbers have no order."""
    if tensor.is_complex():
        return False
    row = tensor[(0,) * (tensor.dim() - 1)][:_ORDERED].double()
    steps = row.diff()
    return len(steps) > 1 and bool((steps >= 0).all() or (steps <= 0).all())
