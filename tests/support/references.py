"""References for the tests of this room: a function of tensors as a Compute."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import torch

from assay.numerics.expectation import ExpectationRequest, OutputExpectation, expect


@dataclass(frozen=True)
class Outputs:
    """Named tensors."""

    names: tuple[str, ...]
    tensors: tuple[torch.Tensor, ...]


@dataclass(frozen=True)
class Reference:
    """Calls `function(*inputs, **state)`, in float64 where asked."""

    function: Callable[..., Any]

    def __call__(
        self, inputs: Sequence[Any], state: Mapping[str, torch.Tensor], wide: bool
    ) -> Outputs:
        """The outputs, one or several."""
        arguments = [_widened(value, wide) for value in inputs]
        weights = {name: _widened(value, wide) for name, value in state.items()}
        with torch.no_grad():
            result = self.function(*arguments, **weights)
        tensors = result if isinstance(result, tuple) else (result,)
        return Outputs(tuple(f"output {i}" for i in range(len(tensors))), tensors)


def _widened(value: Any, wide: bool) -> Any:
    if not wide or not isinstance(value, torch.Tensor):
        return value
    if value.dtype.is_complex:
        return value.to(torch.complex128)
    return value.to(torch.float64) if value.dtype.is_floating_point else value


def expected(function: Callable[..., Any], *inputs: Any, **request: Any) -> OutputExpectation:
    """The expectation of the first output."""
    return expected_all(function, *inputs, **request)[0]


def expected_all(
    function: Callable[..., Any], *inputs: Any, **request: Any
) -> tuple[OutputExpectation, ...]:
    """The expectations of all outputs."""
    asked = ExpectationRequest(**{"seed": 3, **request})
    return expect(Reference(function), inputs, {}, asked)


def normal(*shape: int, seed: int = 0) -> torch.Tensor:
    """Standard normal numbers of a seed."""
    return torch.randn(*shape, generator=torch.Generator().manual_seed(seed))
