"""Integer domains: within which values an integer, boolean or mask input may be redrawn.

The rule: a domain is what the own generator promises and the reference answers. Sorted stays
sorted, distinct stays distinct, a pattern that never changes stays as it is. A constant may be a
length at its largest: smaller ones are asked where the reference has finite answers of the same
shapes. Values above the own ones are asked only up to a size beyond which the reference raises.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from itertools import chain
from typing import Any

import torch

LEAST_MASK = 8  # elements; fewer are a scale or a flag
_LEAST_ORDERED = 4  # elements of a row: fewer are sorted or distinct by chance
Owner = int | str  # an input by its position, or a parameter by its name
Answers = Callable[[Sequence[Any]], bool]


class IntegerForm(StrEnum):
    """What the own generator promises about an integer input."""

    MASK = "mask"  # zeros and ones, drawn anew by every seed or all alike
    PREFIX_MASK = "prefix_mask"  # every row a run of ones, then zeros
    SORTED = "sorted"  # offsets, boundaries, segment numbers; the ends stay
    DISTINCT = "distinct"  # a permutation, positions
    RANGE = "range"  # indices, labels, counts, codes
    CONSTANT = "constant"  # every element alike: a length at its largest


@dataclass(frozen=True)
class Dimension:
    """One size of an input or a parameter."""

    owner: Owner
    dim: int


@dataclass(frozen=True)
class IntegerDomain:
    """How one input may be redrawn; None for a bound is that of the own draw."""

    form: IntegerForm
    low: int | None = None
    beyond: Dimension | None = None  # the first value that the reference refuses
    repeats: bool = False  # whether sorted values may be equal


def form_of(one: Any, other: Any) -> IntegerForm | None:
    """What two own draws of an input show; None where it is not to be redrawn."""
    if not isinstance(one, torch.Tensor) or one.numel() == 0 or one.is_complex():
        return None
    drawn = [one, other]
    if all(_is_mask(value) for value in drawn):
        return _mask_form(one, other)
    if one.is_floating_point() or one.dtype is torch.bool:
        return None
    if all(_is_constant(value) for value in drawn):
        return IntegerForm.CONSTANT if int(one.reshape(-1)[0]) >= 1 else None
    if all(_is_distinct(value) for value in drawn):
        counts = bool((one.diff(dim=-1) == 1).all())
        ordered = all(_is_sorted(value) for value in drawn)
        return IntegerForm.SORTED if ordered and not counts else IntegerForm.DISTINCT
    if all(_is_sorted(value) for value in drawn):
        return IntegerForm.SORTED
    return IntegerForm.RANGE


def _mask_form(one: torch.Tensor, other: torch.Tensor) -> IntegerForm | None:
    """A pattern that is the same in every draw and not constant belongs to the task."""
    if _is_constant(one) and _is_constant(other):
        return IntegerForm.MASK
    if torch.equal(one, other):
        return None
    falling = all(bool((v.to(torch.int8).diff(dim=-1) <= 0).all()) for v in (one, other))
    return IntegerForm.PREFIX_MASK if falling and one.shape[-1] > 2 else IntegerForm.MASK


def _is_mask(value: torch.Tensor) -> bool:
    if value.dim() == 0 or value.numel() < LEAST_MASK:
        return False
    return value.dtype is torch.bool or bool(((value == 0) | (value == 1)).all())


def _is_constant(value: torch.Tensor) -> bool:
    return bool((value == value.reshape(-1)[0]).all())


def _is_sorted(value: torch.Tensor) -> bool:
    if value.dim() == 0 or value.shape[-1] < _LEAST_ORDERED:
        return False
    return bool((value.diff(dim=-1) >= 0).all())


def _is_distinct(value: torch.Tensor) -> bool:
    if value.dim() == 0 or value.shape[-1] < _LEAST_ORDERED:
        return False
    return bool((value.sort(dim=-1).values.diff(dim=-1) > 0).all())


def may_be_redrawn(value: Any) -> bool:
    """Whether an input may have a domain at all."""
    if not isinstance(value, torch.Tensor) or value.is_complex() or value.numel() == 0:
        return False
    return not value.is_floating_point() or _is_mask(value)


def find_domains(
    draws: tuple[Sequence[Any], Sequence[Any]],
    state: Mapping[str, torch.Tensor],
    answers: Answers,
) -> dict[int, IntegerDomain]:
    """The domain of each input that has one, by position, found by trials of the reference."""
    own, other = draws
    forms = {i: form_of(one, two) for i, (one, two) in enumerate(zip(own, other, strict=True))}
    search = _Search(own, state, answers)
    found = {
        i: search.domain(i, form)
        for i, form in forms.items()
        if form is not None and not _follows(own, i, form)
    }
    return {i: domain for i, domain in found.items() if domain is not None}


def _follows(own: Sequence[Any], index: int, form: IntegerForm) -> bool:
    """Whether an input and a single number must fit each other: boundaries and a longest step.

    A single number that is the largest of other integers, or of their steps, follows them too.
    """
    tensor = own[index]
    others = [value for i, value in enumerate(own) if i != index]
    if form is IntegerForm.SORTED:
        return int(tensor.diff(dim=-1).max()) in [_number(value) for value in others]
    if tensor.numel() > 1 or form is not IntegerForm.CONSTANT:
        return False
    several = [value for value in others if _is_integers(value) and value.numel() > 1]
    largest = [int(value.max()) for value in several]
    steps = [int(value.diff(dim=-1).max()) for value in several if value.shape[-1] > 1]
    return int(tensor) in [*largest, *steps]


def _is_integers(value: Any) -> bool:
    if not isinstance(value, torch.Tensor) or value.dtype is torch.bool:
        return False
    return not (value.is_floating_point() or value.is_complex())


def _number(value: Any) -> int | None:
    """The integer that a single number is."""
    if _is_integers(value) and value.numel() == 1:
        return int(value)
    return value if isinstance(value, int) else None


@dataclass(frozen=True)
class _Search:
    """Trials of one reference."""

    own: Sequence[Any]
    state: Mapping[str, torch.Tensor]
    answers: Answers

    def domain(self, index: int, form: IntegerForm) -> IntegerDomain | None:
        """By trials of this input alone, all others as they are."""
        tensor = self.own[index]
        if form is IntegerForm.CONSTANT:
            lower = [v for v in (0, 1) if v < int(tensor.reshape(-1)[0])]
            low = next((v for v in lower if self._bears(index, torch.full_like(tensor, v))), None)
            return None if low is None else IntegerDomain(form, low)
        if form is IntegerForm.SORTED:
            return IntegerDomain(form, repeats=self._bears(index, _with_repeats(tensor)))
        if form in (IntegerForm.RANGE, IntegerForm.DISTINCT):
            return IntegerDomain(form, beyond=self._beyond(index))
        return IntegerDomain(form)

    def _beyond(self, index: int) -> Dimension | None:
        """The size just below which the reference answers, and at which it does not."""
        tensor = self.own[index]
        most = int(torch.iinfo(tensor.dtype).max)
        sizes = [(size, at) for size, at in self._sizes() if int(tensor.max()) + 1 < size < most]
        if not sizes or self._bears_one(index, max(size for size, _ in sizes)):
            return None  # nothing to say where it ends: no index
        bounds = [
            at
            for size, at in sizes
            if self._bears_one(index, size - 1) and not self._bears_one(index, size)
        ]
        return bounds[0] if bounds else None

    def _sizes(self) -> list[tuple[int, Dimension]]:
        """Sizes of inputs and parameters, each once, the largest first."""
        named: chain[tuple[Owner, Any]] = chain(self.state.items(), enumerate(self.own))
        found: dict[int, Dimension] = {}
        for owner, value in named:
            for dim, size in enumerate(value.shape if isinstance(value, torch.Tensor) else ()):
                found.setdefault(size, Dimension(owner, dim))
        return sorted(found.items(), key=lambda pair: -pair[0])

    def _bears_one(self, index: int, value: int) -> bool:
        """Whether one element may have this value."""
        tensor = self.own[index]
        flat = tensor.reshape(-1).clone()
        flat[0] = value
        return self._bears(index, flat.view(tensor.shape))

    def _bears(self, index: int, tensor: torch.Tensor) -> bool:
        inputs = list(self.own)
        inputs[index] = tensor
        return self.answers(inputs)


def _with_repeats(tensor: torch.Tensor) -> torch.Tensor:
    """Sorted, the second value the first again, the last but one the last."""
    changed = tensor.clone()
    changed[..., 1], changed[..., -2] = tensor[..., 0], tensor[..., -1]
    return changed
