"""Joint contracts: outputs of one call that are right or wrong together.

The rule: whoever judges a whole answer asks `compare_all`; `compare` looks at one output alone, and
for a factor of a decomposition there is no such thing as being right alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import isfinite
from typing import Any

import numpy as np
import torch

from assay.data.contract import Decomposition, Equation
from assay.data.observations.call import ErrorSummary
from assay.numerics.comparison import compare
from assay.numerics.contracts.equations import Equations, Residual
from assay.numerics.evaluations import Evaluations
from assay.numerics.output_expectation import ExpectationRequest, NonFinite, OutputExpectation


def compare_all(
    expectations: Sequence[OutputExpectation], actual: Sequence[torch.Tensor]
) -> list[ErrorSummary]:
    """How far each output is from what was expected; shapes and dtypes must already be right."""
    equations = expectations[0].equations if expectations else None
    free = any(e.non_finite is not None for e in expectations)
    if equations is None or free:
        return [compare(e, tensor) for e, tensor in zip(expectations, actual, strict=True)]
    residuals = equations.residuals(actual)
    return [
        _summary([one for one in residuals if one.output == i], tensor.numel())
        for i, tensor in enumerate(actual)
    ]


def _summary(residuals: list[Residual], total: int) -> ErrorSummary:
    shares = [float(one.share.max()) if one.share.numel() else 0.0 for one in residuals]
    largest = max(shares, default=0.0)
    if largest <= 1.0:
        return ErrorSummary(budget_used=largest, p999=largest, total=total)
    worst = residuals[shares.index(largest)]
    return ErrorSummary(
        budget_used=largest if isfinite(largest) else None,
        p999=None,
        wrong=max(1, min(total, int((worst.share > 1.0).sum()))),
        total=total,
        where=str([int(i) for i in np.unravel_index(int(worst.share.argmax()), worst.share.shape)]),
        text=f"{worst.name} does not hold",
    )


def defining_equations(
    seen: Evaluations, inputs: Sequence[Any], request: ExpectationRequest
) -> Equations | None:
    """What the task declares, else what its reference was seen to return."""
    tensors = [v for v in inputs if isinstance(v, torch.Tensor)]
    dtype = seen.reference[-1].dtype
    if isinstance(request.contract, Decomposition):
        count = 2 if request.contract.equation is Equation.SOLVE else 1
        operands = tuple(_wide(t) for t in tensors[:count])
        return Equations(request.contract.equation, operands, dtype)
    found = seen.decomposed
    if found is None:
        return None
    dtype = seen.reference[found.order[-1]].dtype  # vectors are complex where values may not be
    told = (found.budget, found.transposed, found.order)
    return Equations(found.equation, (found.operand,), dtype, *told)


def _wide(value: torch.Tensor) -> torch.Tensor:
    return value.detach().to(torch.complex128 if value.dtype.is_complex else torch.float64)


def unjudged(output: OutputExpectation) -> OutputExpectation:
    """Anything is right: a decomposition has no non-finite contract."""
    shape = torch.view_as_real(output.truth).shape if output.dtype.is_complex else output.shape
    none, every = torch.zeros(shape, dtype=torch.bool), torch.ones(shape, dtype=torch.bool)
    limit = torch.zeros(shape, dtype=torch.float64)
    rules = NonFinite(every, none, none, every, limit, torch.ones(shape, dtype=torch.float64))
    return replace(output, non_finite=rules, relief=None, reference_bias=None, special=True)
