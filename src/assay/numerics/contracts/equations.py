"""Equations: a decomposition is right where its defining equations hold, whatever basis or sign.

    reconstruction   |A - Q R| by columns, |A V - V W|, |A - U S V|, |A X - B|
    orthogonality    |QᵀQ - 1|
    spectrum         every eigenvalue is there, and their sum is the trace, where A is any matrix
    form             triangles, eigenvalues ascending, singular values descending and not negative

each at most (128 + 32√n + 8n)·u times the size of what is decomposed, n its longer side and u one
rounding of the dtype. LAPACK in float32 used at most a twentieth of that on normal, offset, graded
and tied matrices from 2 x 2 to 2048 x 512, twelve sweeps of Jacobi rotations, whose errors grow
with n, two fifths; arithmetic in 11 bits exceeds it up to n = 1500.

The rule: all of it is computed here, in float64, from the operand and the outputs alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import torch

from assay.data.contract import Equation
from assay.numerics.budget.backward_error import stable_roundings
from assay.numerics.budget.rounding import real_dtype

Tensors = Sequence[torch.Tensor]
_SIMPLE = 8.0  # budgets of an eigenvalue that fit between it and the next, where it is asked for


@dataclass(frozen=True)
class Residual:
    """One equation: by which share of its budget it is missed, and by which output."""

    name: str
    output: int  # among the factors; of a call among what it returned
    share: torch.Tensor  # of any shape


@dataclass(frozen=True)
class Equations:
    """What the outputs of one call must fulfil together."""

    equation: Equation
    operands: tuple[torch.Tensor, ...]  # float64: what is decomposed; for solve also the right side
    dtype: torch.dtype
    slack: torch.Tensor | None = None  # the budget of an operand that is computed, not given
    transposed: bool = False  # the last factor comes transposed
    order: tuple[int, ...] = ()  # the output that each factor is; empty: one after the other

    def residuals(self, outputs: Tensors) -> list[Residual]:
        """Every equation, as shares of its budget. Shapes must already be right."""
        wide = torch.complex128 if self.dtype.is_complex else torch.float64
        order = self.order or tuple(range(len(outputs)))
        lifted = [outputs[place].detach().to(wide) for place in order]
        if self.transposed:
            lifted[-1] = lifted[-1].mH
        found = _CHECKS[self.equation](self, lifted)
        return [replace(one, output=order[one.output]) for one in found]

    @property
    def matrix(self) -> torch.Tensor:
        """What is decomposed."""
        return self.operands[0]

    @cached_property
    def norm(self) -> torch.Tensor:
        """Its largest singular value, and what the slack adds to it."""
        if min(self.matrix.shape[-2:]) == 0:
            return torch.zeros(self.matrix.shape[:-2], dtype=torch.float64)
        values: torch.Tensor = torch.linalg.svdvals(self.matrix)
        if self.slack is None:
            return values[..., 0]
        slack: torch.Tensor = torch.linalg.vector_norm(self.slack, dim=(-2, -1))
        return values[..., 0] + slack / self.unit

    @cached_property
    def columns(self) -> torch.Tensor:
        """The length of each of its columns, and what the slack adds to it."""
        lengths = _columns(self.matrix)
        return lengths if self.slack is None else lengths + _columns(self.slack) / self.unit

    @property
    def unit(self) -> float:
        """The budget of an equation whose terms have size one."""
        longest = int(max(1, *self.matrix.shape[-2:]))
        one_rounding = float(torch.finfo(real_dtype(self.dtype)).eps) / 2
        return stable_roundings(longest) * one_rounding


def _over(value: torch.Tensor, size: torch.Tensor, unit: float) -> torch.Tensor:
    """Shares of `unit` times `size`; NaN is infinitely wrong."""
    budget = unit * size + torch.finfo(torch.float32).tiny
    return (value.abs() / budget).nan_to_num(torch.inf, torch.inf)


def _orthogonal(output: int, columns: torch.Tensor, unit: float) -> Residual:
    excess = columns.mH @ columns - torch.eye(columns.shape[-1], dtype=columns.dtype)
    return Residual("orthogonality", output, _over(excess, torch.ones(()), unit))


def _columns(value: torch.Tensor) -> torch.Tensor:
    lengths: torch.Tensor = torch.linalg.vector_norm(value, dim=-2)
    return lengths


def _descending(output: int, values: torch.Tensor, size: torch.Tensor, unit: float) -> Residual:
    rises = values.diff(dim=-1).clamp(min=0)
    return Residual("order", output, _over(rises, size[..., None], unit))


def _qr(system: Equations, outputs: Tensors) -> list[Residual]:
    q, r = outputs
    size = system.columns
    below = r.tril(-1)
    return [
        Residual("Q R = A", 0, _over(_columns(system.matrix - q @ r), size, system.unit)),
        _orthogonal(0, q, system.unit),
        Residual("R is upper triangular", 1, _over(below, size[..., None, :], system.unit)),
    ]


def _eigh(system: Equations, outputs: Tensors) -> list[Residual]:
    w, v = outputs
    matrix = system.matrix.tril() + system.matrix.tril(-1).mH  # the lower triangle counts
    size = system.norm
    missed = _columns(matrix @ v - v * w[..., None, :])
    return [
        _descending(0, -w.real, size, system.unit),
        Residual("A v = w v", 1, _over(missed, size[..., None], system.unit)),
        _orthogonal(1, v, system.unit),
    ]


def _eig(system: Equations, outputs: Tensors) -> list[Residual]:
    """Phases and order are free; that no pair stands for another its eigenvalue shows."""
    w, v = outputs
    matrix, size = system.matrix.to(v.dtype), system.norm
    lengths = _columns(v)
    missed = _columns(matrix @ v - v * w[..., None, :])
    trace = matrix.diagonal(dim1=-2, dim2=-1).sum(-1)
    count = float(matrix.shape[-1])
    return [
        Residual("A v = w v", 1, _over(missed, size[..., None], system.unit)),
        Residual("|v| = 1", 1, _over(lengths - 1.0, torch.ones(()), system.unit)),
        Residual(
            "the sum of w is the trace", 0, _over(w.sum(-1) - trace, count * size, system.unit)
        ),
        Residual("every eigenvalue is there", 0, _missing(system, matrix, w)),
    ]


def _missing(system: Equations, matrix: torch.Tensor, w: torch.Tensor) -> torch.Tensor:
    """How far from each true eigenvalue the nearest given one lies, in shares of its budget.

    An error E of the matrix moves an eigenvalue by |y||E| / |yx|, y and x its vectors. Where that
    is no longer small beside the distance to the next one, nothing is asked.
    """
    if matrix.shape[-1] == 0:
        return torch.zeros(w.shape, dtype=torch.float64)
    truth, vectors = torch.linalg.eig(matrix)
    left, failed = torch.linalg.inv_ex(vectors)
    sensitivity = torch.linalg.vector_norm(left, dim=-1) * _columns(vectors)
    sensitivity = torch.where(failed[..., None] != 0, torch.inf, sensitivity.nan_to_num(torch.inf))
    apart = (truth[..., :, None] - truth[..., None, :]).abs()
    apart.diagonal(dim1=-2, dim2=-1).fill_(torch.inf)
    allowed = sensitivity * system.norm[..., None] * system.unit
    unclear = allowed > apart.amin(-1) / _SIMPLE
    nearest = (truth[..., :, None] - w[..., None, :]).abs().nan_to_num(torch.inf).amin(-1)
    return torch.where(unclear, 0.0, _over(nearest, 2.0 * allowed, 1.0))


def _svd(system: Equations, outputs: Tensors) -> list[Residual]:
    u, s, vh = outputs
    rank = s.shape[-1]
    size = system.norm
    made = (u[..., :rank] * s[..., None, :]) @ vh[..., :rank, :]
    missed = _columns(system.matrix - made)
    return [
        Residual("U S V = A", 0, _over(missed, size[..., None], system.unit)),
        _orthogonal(0, u, system.unit),
        _descending(1, s.real, size, system.unit),
        Residual("S is not negative", 1, _over(s.real.clamp(max=0), size[..., None], system.unit)),
        _orthogonal(2, vh.mH, system.unit),
    ]


def _cholesky(system: Equations, outputs: Tensors) -> list[Residual]:
    (lower,) = outputs
    size = torch.linalg.vector_norm(lower, dim=-1)  # of row i: the root of A[i, i]
    missed = (system.matrix - lower @ lower.mH).tril()
    sizes = size[..., :, None] * size[..., None, :]
    negative = lower.diagonal(dim1=-2, dim2=-1).real <= 0
    return [
        Residual("L Lᵀ = A", 0, _over(missed, sizes, system.unit)),
        Residual("L is lower triangular", 0, _over(lower.triu(1), size[..., None], system.unit)),
        Residual("the diagonal is positive", 0, torch.where(negative, torch.inf, 0.0)),
    ]


def _solve(system: Equations, outputs: Tensors) -> list[Residual]:
    (x,) = outputs
    right = system.operands[1]
    vector = right.dim() == system.matrix.dim() - 1
    x, right = (x[..., None], right[..., None]) if vector else (x, right)
    size = system.norm[..., None] * _columns(x) + _columns(right)
    missed = _columns(system.matrix @ x - right)
    return [Residual("A X = B", 0, _over(missed, size, system.unit))]


def _inverse(system: Equations, outputs: Tensors) -> list[Residual]:
    one = torch.eye(system.matrix.shape[-1], dtype=system.matrix.dtype)
    operands = (system.matrix, one.expand(system.matrix.shape))
    solved = Equations(Equation.SOLVE, operands, system.dtype)
    return _solve(solved, outputs)


_CHECKS: dict[Equation, Callable[[Equations, Tensors], list[Residual]]] = {
    Equation.QR: _qr,
    Equation.EIGH: _eigh,
    Equation.EIG: _eig,
    Equation.SVD: _svd,
    Equation.CHOLESKY: _cholesky,
    Equation.SOLVE: _solve,
    Equation.INVERSE: _inverse,
}
