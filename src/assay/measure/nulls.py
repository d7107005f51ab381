"""Null answers: what a kernel that computes nothing could return.

The rule: a workload on which one of them passes proves nothing, whatever else passes it.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from assay.measure.comparison import compare
from assay.measure.output_expectation import OutputExpectation

Answer = Sequence[torch.Tensor | None]


@dataclass(frozen=True)
class NullMaterial:
    """What a kernel that computes nothing has at hand, beyond constants."""

    inputs: Sequence[Any] = ()
    previous: Answer = ()  # the outputs of an earlier call
    at_zero: Answer = ()  # the outputs where every input is zero


def degenerate(
    expectations: Sequence[OutputExpectation], material: NullMaterial | None = None
) -> list[str]:
    """The names of the null answers that pass every output. An empty workload names none."""
    if not any(torch.Size(e.shape).numel() for e in expectations):
        return []
    answers: dict[str, Answer] = {
        name: [make(e) for e in expectations] for name, make in _CONSTANTS.items()
    }
    answers |= _from_material(expectations, material or NullMaterial())
    return [name for name, answer in answers.items() if _passes(expectations, answer)]


def _zeros(expectation: OutputExpectation) -> torch.Tensor:
    return torch.zeros(expectation.shape, dtype=expectation.dtype)


def _ones(expectation: OutputExpectation) -> torch.Tensor:
    return torch.ones(expectation.shape, dtype=expectation.dtype)


def _mean(expectation: OutputExpectation) -> torch.Tensor:
    """The mean of the truth over the whole output; for integers its nearest integer."""
    truth = expectation.truth
    wide = truth.to(torch.complex128 if truth.dtype.is_complex else torch.float64)
    finite = wide[wide.isfinite()]
    mean = finite.mean() if finite.numel() else wide.new_zeros(())
    mean = mean if mean.dtype.is_complex or expectation.budget is not None else mean.round()
    return mean.to(expectation.dtype).expand(expectation.shape)


_CONSTANTS: dict[str, Callable[[OutputExpectation], torch.Tensor]] = {
    "zeros": _zeros,
    "ones": _ones,
    "mean": _mean,
}


def _from_material(
    expectations: Sequence[OutputExpectation], material: NullMaterial
) -> dict[str, Answer]:
    answers: dict[str, Answer] = {}
    if material.previous:
        answers["previous answer"] = material.previous
    if material.at_zero:
        answers["f(0)"] = material.at_zero
    for i, value in enumerate(material.inputs):
        if isinstance(value, torch.Tensor):
            answers[f"input {i}"] = [_shaped(value, e) for e in expectations]
    return answers


def _shaped(value: torch.Tensor, expectation: OutputExpectation) -> torch.Tensor | None:
    if value.numel() != torch.Size(expectation.shape).numel():
        return None
    return value.detach().reshape(expectation.shape).to(expectation.dtype)


def _passes(expectations: Sequence[OutputExpectation], answer: Answer) -> bool:
    if len(answer) != len(expectations):
        return False
    return all(_right(e, a) for e, a in zip(expectations, answer, strict=True))


def _right(expectation: OutputExpectation, answer: torch.Tensor | None) -> bool:
    if answer is None or tuple(answer.shape) != expectation.shape:
        return False
    return compare(expectation, answer.to(expectation.dtype)).ok
