"""Null answers: what a kernel that does not do the work could return.

The rule: a workload on which one of them passes proves nothing, whatever else passes it. None of
them knows the right answer beyond its first tile; the others are made from constants, from the
inputs, and from what the reference says about other inputs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import torch

from assay.data.audit import NullKind
from assay.numerics.comparison import compare
from assay.numerics.halved_inputs import Halving, halvings
from assay.numerics.joint_outputs import compare_all
from assay.numerics.output_expectation import OutputExpectation

TILE = 1024  # elements; or half the output where that is less
# Made without a call of the reference.
FREE_KINDS = frozenset({NullKind.ZEROS, NullKind.ONES, NullKind.COPY, NullKind.FIRST_TILE})

Answer = Sequence[torch.Tensor | None]
Call = Callable[[Sequence[Any]], Sequence[torch.Tensor]]


@dataclass(frozen=True)
class Null:
    """Which null answer; hashable, so that it can be asked again on another workload."""

    kind: NullKind
    input: int | None = None
    halving: Halving | None = None

    @property
    def text(self) -> str:
        """In words."""
        if self.halving is not None:
            return self.halving.text
        return _WORDS[self.kind].format(self.input)


_WORDS = {
    NullKind.ZEROS: "zeros everywhere",
    NullKind.ONES: "ones everywhere",
    NullKind.MEAN: "one constant, the mean of an earlier answer",
    NullKind.COPY: "a copy of input {}",
    NullKind.AT_ZERO: "the answer to zeros",
    NullKind.PREVIOUS: "the answer to earlier inputs",
    NullKind.INPUT_INDEPENDENT: "the mean of the answers to other inputs",
    NullKind.FIRST_TILE: "the first tile, then zeros",
}


@dataclass(frozen=True)
class NullMaterial:
    """One question, and what a kernel that does not do the work has at hand."""

    right: Sequence[torch.Tensor]
    inputs: Sequence[Any]
    others: Sequence[Sequence[Any]]  # inputs of earlier calls
    call: Call  # the reference with the same weights

    @cached_property
    def earlier(self) -> list[Sequence[torch.Tensor]]:
        """The right answers to the earlier inputs."""
        return [self.call(inputs) for inputs in self.others]

    @cached_property
    def previous(self) -> Sequence[torch.Tensor]:
        """The right answer to the first of the earlier inputs alone."""
        return self.earlier[0] if "earlier" in vars(self) else self.call(self.others[0])


def nulls_of(inputs: Sequence[Any]) -> Iterator[Null]:
    """Every null answer to a question with such inputs, those that cost nothing first."""
    for kind in NullKind:
        if kind is NullKind.COPY:
            for i, value in enumerate(inputs):
                if isinstance(value, torch.Tensor):
                    yield Null(kind, input=i)
        elif kind is NullKind.HALF:
            yield from (Null(kind, halving=halving) for halving in halvings(inputs))
        else:
            yield Null(kind)


def null_answer(null: Null, material: NullMaterial) -> Answer | None:
    """What `null` returns here; None where it has nothing to return."""
    if null.halving is not None:
        return _half_read(null.halving, material)
    if null.kind is NullKind.COPY:
        value = material.inputs[null.input] if null.input is not None else None
        return [_shaped(value, right) for right in material.right]
    return _MAKERS[null.kind](material)


def _half_read(halving: Halving, material: NullMaterial) -> Answer | None:
    """None also where the right answer does not need the other half: that is honest algebra."""
    halved = halving.of(material.inputs)
    if halved is None:
        return None
    answer = material.call(halved)
    pairs = zip(answer, material.right, strict=False)
    return None if all(torch.equal(a, b) for a, b in pairs) else answer


def passes(expectations: Sequence[OutputExpectation], answer: Answer) -> bool:
    """Whether every output is within its error budget. An empty workload lets nothing through."""
    if not any(torch.Size(e.shape).numel() for e in expectations):
        return False
    if len(answer) != len(expectations):
        return False
    if any(e.equations is not None for e in expectations):
        return _hold_together(expectations, answer)
    return all(_within(e, a) for e, a in zip(expectations, answer, strict=True))


def _hold_together(expectations: Sequence[OutputExpectation], answer: Answer) -> bool:
    tensors = [
        a.to(e.dtype)
        for e, a in zip(expectations, answer, strict=True)
        if a is not None and tuple(a.shape) == e.shape
    ]
    return len(tensors) == len(expectations) and all(
        error.ok for error in compare_all(expectations, tensors)
    )


def passes_flat(right: Sequence[torch.Tensor], answer: Answer, tolerance: float) -> bool:
    """Whether `torch.allclose` with this absolute and relative tolerance accepts every output."""
    if not any(tensor.numel() for tensor in right) or len(answer) != len(right):
        return False
    return all(_close(a, b, tolerance) for a, b in zip(right, answer, strict=True))


def _within(expectation: OutputExpectation, answer: torch.Tensor | None) -> bool:
    if answer is None or tuple(answer.shape) != expectation.shape:
        return False
    return compare(expectation, answer.to(expectation.dtype)).ok


def _close(right: torch.Tensor, answer: torch.Tensor | None, tolerance: float) -> bool:
    if answer is None or answer.shape != right.shape:
        return False
    if not (right.is_floating_point() or right.is_complex()):
        return torch.equal(right, answer.to(right.dtype))
    return torch.allclose(right, answer.to(right.dtype), rtol=tolerance, atol=tolerance)


def _zeros(material: NullMaterial) -> Answer:
    return [torch.zeros_like(right) for right in material.right]


def _ones(material: NullMaterial) -> Answer:
    return [torch.ones_like(right) for right in material.right]


def _mean(material: NullMaterial) -> Answer | None:
    """Of an earlier answer: the mean of a scalar's own truth would be the truth."""
    if not material.others:
        return None
    pairs = zip(material.previous, material.right, strict=False)
    return [_constant(old, right) for old, right in pairs]


def _constant(old: torch.Tensor, right: torch.Tensor) -> torch.Tensor:
    """The mean over the whole output; for integers its nearest integer."""
    wide = old.to(torch.complex128 if old.dtype.is_complex else torch.float64)
    finite = wide[wide.isfinite()]
    mean = finite.mean() if finite.numel() else wide.new_zeros(())
    exact = not (right.is_floating_point() or right.is_complex())
    return (mean.round() if exact else mean).to(right.dtype).expand(right.shape)


def _at_zero(material: NullMaterial) -> Answer | None:
    """None where no input is floating: then it would be the right answer."""
    zeroed = [_zeroed(value) for value in material.inputs]
    if all(made is value for made, value in zip(zeroed, material.inputs, strict=True)):
        return None
    return material.call(zeroed)


def _zeroed(value: Any) -> Any:
    floating = isinstance(value, torch.Tensor) and (value.is_floating_point() or value.is_complex())
    return torch.zeros_like(value) if floating else value


def _previous(material: NullMaterial) -> Answer | None:
    return material.previous if material.others else None


def _input_independent(material: NullMaterial) -> Answer | None:
    """The best guess of a kernel that knows the weights and never looks at its inputs."""
    if len(material.others) < 2:
        return None
    earlier = material.earlier
    if len({tuple(tuple(t.shape) for t in answer) for answer in earlier}) > 1:
        return None
    return [_mean_answer([answer[i] for answer in earlier]) for i in range(len(earlier[0]))]


def _mean_answer(answers: Sequence[torch.Tensor]) -> torch.Tensor:
    first = answers[0]
    if not (first.is_floating_point() or first.is_complex()):
        return first
    wide = torch.complex128 if first.is_complex() else torch.float64
    total = first.to(wide)
    for answer in answers[1:]:
        total = total + answer
    return (total / len(answers)).to(first.dtype)


def _first_tile(material: NullMaterial) -> Answer:
    return [_only_first_tile(right) for right in material.right]


def _only_first_tile(right: torch.Tensor) -> torch.Tensor:
    made = torch.zeros_like(right, memory_format=torch.contiguous_format)
    tile = min(TILE, right.numel() // 2)
    made.view(-1)[:tile] = right.reshape(-1)[:tile]
    return made


_MAKERS: dict[NullKind, Callable[[NullMaterial], Answer | None]] = {
    NullKind.ZEROS: _zeros,
    NullKind.ONES: _ones,
    NullKind.MEAN: _mean,
    NullKind.AT_ZERO: _at_zero,
    NullKind.PREVIOUS: _previous,
    NullKind.INPUT_INDEPENDENT: _input_independent,
    NullKind.FIRST_TILE: _first_tile,
}


def _shaped(value: Any, right: torch.Tensor) -> torch.Tensor | None:
    if not isinstance(value, torch.Tensor) or value.numel() != right.numel():
        return None
    if value.is_complex() and not right.is_complex():
        return None  # a number that the output cannot hold is no answer to it
    return value.detach().reshape(right.shape).to(right.dtype)
