"""Input meaning: what a reference shows about its integers, masks, labels and constants, and
whether it raises on some values.

The rule: all of it is found once, by running the reference on small own draws, and depends on
nothing but the task. What the reference does not answer is never asked.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import torch

from assay.errors import TaskError
from assay.tasks.references.bound_reference import BoundReference
from assay.tasks.references.task_source import kept_generators, user_code
from assay.tasks.values.integer_domains import (
    Answers,
    IntegerDomain,
    IntegerForm,
    find_domains,
    may_be_redrawn,
)
from assay.tasks.values.integer_draws import Extent, IntegerRequest, redraw_integers
from assay.tasks.values.marked_values import Marks, put_marks
from assay.tasks.values.raising_operations import RaisingWatch
from assay.tasks.values.reference_constants import Constants, ConstantWatch

_SEED = 11
_MASKS = (IntegerForm.MASK, IntegerForm.PREFIX_MASK)
_UNIQUE = (*_MASKS, IntegerForm.DISTINCT)


@dataclass(frozen=True)
class OwnDraws:
    """Two own draws of one small shape, and weights to run the reference with."""

    first: Sequence[Any]
    second: Sequence[Any]
    state: Mapping[str, torch.Tensor]


@dataclass(frozen=True)
class InputMeaning:
    """Domains and marks by the position of an input, and the constants of the operations."""

    domains: Mapping[int, IntegerDomain] = field(default_factory=dict)
    marks: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    constants: Constants = field(default_factory=Constants)
    refuses_values: bool = False  # the reference may raise on some floats: a singular matrix

    @property
    def extents(self) -> tuple[tuple[Extent, ...], ...]:
        """What is asked of integers, in turn, each with what may take its place."""
        if not self.domains and not self.marks:
            return ()
        mixed = (Extent.WHOLE_ROWS, Extent.MIXED)
        return (mixed, (Extent.HIGHEST,), (Extent.LOWEST,)) if self.domains else (mixed,)

    def draw(self, request: IntegerRequest) -> tuple[Any, ...]:
        """Integers anew; marks where both ends of the ranges are drawn."""
        inputs = redraw_integers(request, self.domains)
        if request.extent in (Extent.MIXED, Extent.WHOLE_ROWS):
            put_marks(inputs, self.marks, request.generator)
        return tuple(inputs)


def find_meaning(task_id: str, bound: BoundReference, draws: OwnDraws) -> InputMeaning:
    """By trials on the first of the draws; no domains where the reference has no answer to it."""
    constants, arguments, may_raise = _watched(task_id, bound, draws)
    refuses = may_raise or _refuses_values(bound, draws)
    found = InputMeaning(constants=constants, refuses_values=refuses)
    if not any(may_be_redrawn(value) for value in draws.first):
        return found
    answers = _same_form(bound, draws)
    if answers is None:
        return found
    domains = find_domains((draws.first, draws.second), draws.state, answers)
    if constants.overwrites:  # which of two equal indices is written last is nobody's promise
        domains = {i: domain for i, domain in domains.items() if domain.form in _UNIQUE}
    return replace(
        found,
        domains=_joint(domains, draws, answers),
        marks=_marks(constants, arguments, draws, answers),
    )


def _marks(
    constants: Constants, arguments: dict[int, int], draws: OwnDraws, answers: Answers
) -> dict[int, tuple[int, ...]]:
    """What operators are told to leave out, and integers beside a comparison, where answered."""
    sides = [(c.input, side) for c in constants.comparisons for side in c.sides]
    marks: dict[int, tuple[int, ...]] = {}
    for index, value in dict.fromkeys([*arguments.items(), *sides]):
        if _bears_mark(index, value, draws, answers):
            marks[index] = (*marks.get(index, ()), value)
    return marks


def _watched(
    task_id: str, bound: BoundReference, draws: OwnDraws
) -> tuple[Constants, dict[int, int], bool]:
    """Of one run the constants, the labels that an operator is told to leave out, and whether
    an operation ran that raises on some values.
    """
    inputs, watch, raising = list(draws.first), ConstantWatch(draws.first), RaisingWatch()
    marks = Marks(inputs, watch)
    code = user_code(task_id, "the reference")
    with code, torch.no_grad(), kept_generators(), marks, watch, raising:
        bound.module(*inputs)
    return watch.found(), marks.found, raising.seen


def _refuses_values(bound: BoundReference, draws: OwnDraws) -> bool:
    """Whether it raises where floats are all zeros, all ones or turned around.

    A factorisation does: zeros and ones are singular, and nothing negative is definite.
    """
    changes: tuple[Callable[[torch.Tensor], torch.Tensor], ...]
    changes = (torch.zeros_like, torch.ones_like, torch.neg)
    return not all(_runs(bound, _floats_changed(draws.first, one), draws.state) for one in changes)


def _floats_changed(
    inputs: Sequence[Any], change: Callable[[torch.Tensor], torch.Tensor]
) -> list[Any]:
    """Floats of eight bits are codes: torch has no arithmetic for them."""
    return [
        change(value)
        if isinstance(value, torch.Tensor)
        and (value.is_complex() or (value.is_floating_point() and value.element_size() > 1))
        else value
        for value in inputs
    ]


def _runs(bound: BoundReference, inputs: Sequence[Any], state: Mapping[str, torch.Tensor]) -> bool:
    try:
        bound(inputs, state, wide=False)
    except TaskError:
        return False
    return True


def _same_form(bound: BoundReference, draws: OwnDraws) -> Answers | None:
    """Whether the reference answers with finite outputs of the own shapes; None if never."""
    own = _shapes(bound, draws.first, draws.state)
    if own is None:
        return None
    return lambda inputs: _shapes(bound, inputs, draws.state) == own


def _shapes(
    bound: BoundReference, inputs: Sequence[Any], state: Mapping[str, torch.Tensor]
) -> list[tuple[torch.Size, torch.dtype]] | None:
    try:
        outputs = bound(inputs, state, wide=False).tensors
    except TaskError:
        return None
    if not all(bool(tensor.isfinite().all()) for tensor in outputs):
        return None
    return [(tensor.shape, tensor.dtype) for tensor in outputs]


def _joint(
    domains: dict[int, IntegerDomain], draws: OwnDraws, answers: Answers
) -> dict[int, IntegerDomain]:
    """Those that are answered together: first all, then no value above the own, then masks."""
    within = {i: replace(domain, beyond=None) for i, domain in domains.items()}
    masks = {i: domain for i, domain in domains.items() if domain.form in _MASKS}
    sizes = {name: tuple(value.shape) for name, value in draws.state.items()}
    for tried in (domains, within):
        request = IntegerRequest(
            draws.first, sizes, torch.Generator().manual_seed(_SEED), Extent.MIXED
        )
        if tried and answers(redraw_integers(request, tried)):
            return tried
    return masks


def _bears_mark(index: int, value: int, draws: OwnDraws, answers: Answers) -> bool:
    tensor = draws.first[index]
    if tensor.is_floating_point() or tensor.dtype is torch.bool or tensor.numel() < 2:
        return False
    limits = torch.iinfo(tensor.dtype)
    if not limits.min <= value <= limits.max:
        return False
    inputs = list(draws.first)
    put_marks(inputs, {index: (value,)}, torch.Generator().manual_seed(_SEED))
    return answers(inputs)
