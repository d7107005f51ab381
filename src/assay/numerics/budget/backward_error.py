"""Backward error: a decomposition as another stable algorithm makes it.

    computed eigenvalues, singular values and vectors are those of A + E,
    |E|₂ <= (128 + 32√n + 8n)·u·|A|₂

n is the longer side of A and u one rounding. Householder reductions stay far below it, sweeps of
Jacobi rotations, whose errors grow with n and lean to one side, come within a few times of it.

The rule: a probe decomposes such a neighbour, and what is computed from its factors shows by how
much that amplifies the difference. E is random, and all values move one way beside it: no E of that
size moves an eigenvalue further (Weyl), and errors of rotations do not cancel in a sum over values.
Vectors grow or shrink together by half as much, so that QᵀQ is off by as much as it may be. Values
of a matrix that is not symmetric may be complex, smaller than |A|₂ and amplify E: each moves by as
much along its own direction.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt
from typing import Any

import torch

from assay.numerics.budget.perturbation import Signs

_ANY_MATRIX = "linalg_eig"  # `eigvals` runs it too
# Where the eigenvalues, the singular values stand.
VALUES = {"_linalg_eigh": 0, "_linalg_svd": 1, _ANY_MATRIX: 0}


def stable_roundings(longest: int) -> float:
    """How many roundings of |A|₂ a decomposition may be off, by the longer side of A."""
    return 128 + 32 * sqrt(longest) + 8 * longest


@dataclass(frozen=True)
class Neighbour:
    """Decomposes A + E in the place of A."""

    signs: Signs
    rounding: float  # one rounding, as a share of the amplitude of the signs

    def decomposed(
        self, func: Any, args: Sequence[Any], kwargs: dict[str, Any]
    ) -> tuple[torch.Tensor, ...]:
        """The factors of A + E, in the order of the operator."""
        name, operand = func.overloadpacket.__name__, args[0]
        number = VALUES[name]
        rows, cols = operand.shape[-2:]
        share = self.rounding * stable_roundings(max(rows, cols))
        if name == _ANY_MATRIX:
            norm = torch.linalg.matrix_norm(operand, 2).unsqueeze(-1)
        else:
            norm = func(*args, **kwargs)[number].abs().amax(dim=-1, keepdim=True)
        near = self._moved(operand, norm.mul(share / (sqrt(rows) + sqrt(cols))).unsqueeze(-1))
        factors = tuple(func(near, *args[1:], **kwargs))
        shift, growth = torch.zeros_like(norm), torch.ones_like(norm)
        self.signs.move(shift, norm * share)
        self.signs.move(growth, torch.full_like(norm, share / 2))
        for place, factor in enumerate(factors):
            if place == number:
                factor.add_(shift * factor.sgn() if factor.is_complex() else shift)
            elif factor.numel():
                factor.mul_(growth.unsqueeze(-1))
        return factors

    def _moved(self, operand: torch.Tensor, size: torch.Tensor) -> torch.Tensor:
        """Every element by the same size; |E|₂ is that times the roots of both sides."""
        near = operand.clone(memory_format=torch.contiguous_format)
        if near.is_complex():
            parts = torch.view_as_real(near)
            self.signs.move(parts, size.unsqueeze(-1).expand(parts.shape))
        else:
            self.signs.move(near, size.expand(near.shape))
        return near
