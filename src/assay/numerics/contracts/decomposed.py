"""Decomposed: finds out that what a reference returns is a decomposition, by watching it compute.

The rule: only a result that is returned whole - every factor, in any order - is judged by its
equations; a factor that goes on being computed with is judged by what comes of it.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import permutations
from typing import Any

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from assay.data.contract import Equation

_OPERATIONS = {
    "linalg_qr": Equation.QR,
    "_linalg_eigh": Equation.EIGH,
    "linalg_eig": Equation.EIG,
    "_linalg_svd": Equation.SVD,
}


@dataclass(frozen=True)
class Decomposed:
    """One decomposition that a reference computed."""

    equation: Equation
    operand: torch.Tensor
    factors: tuple[torch.Tensor, ...]
    number: int  # among the decompositions of the run
    transposed: bool = False  # the last factor is returned transposed, as `torch.svd` does
    order: tuple[int, ...] = ()  # the output that each factor is; empty: one after the other
    budget: torch.Tensor | None = None  # of the operand, where it is computed and not given


class DecompositionWatch(TorchDispatchMode):
    """While active, keeps every decomposition in `seen`."""

    def __init__(self) -> None:
        super().__init__()  # type: ignore[no-untyped-call]
        self.seen: list[Decomposed] = []

    @classmethod
    def _should_skip_dynamo(cls) -> bool:
        return False  # the wrapper it would put around us imports all of torch._dynamo: 2.3 s

    def __torch_dispatch__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        name = func.overloadpacket.__name__
        if name not in _OPERATIONS:
            return func(*args, **(kwargs or {}))
        operand = _mirrored(args) if name == "_linalg_eigh" else args[0].detach().clone()
        result = func(*args, **(kwargs or {}))
        factors = tuple(factor.detach().clone() for factor in result)
        self.seen.append(Decomposed(_OPERATIONS[name], operand, factors, len(self.seen)))
        return result


def _mirrored(args: Any) -> torch.Tensor:
    """The Hermitian matrix whose lower (or upper) triangle is given."""
    matrix: torch.Tensor = args[0].detach()
    if len(args) > 1 and str(args[1]).upper() == "U":
        return matrix.triu().add(matrix.triu(1).mH)
    return matrix.tril().add(matrix.tril(-1).mH)


def returned_whole(
    seen: Sequence[Decomposed], outputs: Sequence[torch.Tensor]
) -> Decomposed | None:
    """The decomposition whose factors are the outputs, one for one."""
    for one in seen:
        if len(one.factors) != len(outputs):
            continue
        for order in permutations(range(len(outputs))):
            given = [outputs[place] for place in order]
            if _same(one.factors, given):
                return replace(one, order=order)
            turned = (*one.factors[:-1], one.factors[-1].mH)
            if one.equation is Equation.SVD and _same(turned, given):
                return replace(one, order=order, transposed=True)
    return None


def _same(one: Sequence[torch.Tensor], other: Sequence[torch.Tensor]) -> bool:
    return len(one) == len(other) and all(
        a.shape == b.shape and a.dtype == b.dtype and torch.equal(a, b)
        for a, b in zip(one, other, strict=True)
    )
