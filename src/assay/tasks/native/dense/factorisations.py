"""Factorisations of small matrices, and what they solve."""

import torch
from torch import Tensor

from assay.tasks.families.family_words import Expression, Float, task

FAMILY = {
    "category": "LinearAlgebra",
    "kerneleval": "decomposition",
    "level": "K4",
    "difficulty": "hard",
}
AXES = {
    "batch": {"own": 32, "high": 256, "role": "batch"},
    "size": {"own": 16, "high": 48},
    "cols": {"own": 8, "high": 32},
}


def _definite(batch, size):
    """Symmetric and positive definite, with a condition of a few."""
    made = torch.randn(batch, size, size)
    return made @ made.transpose(-2, -1) / size + torch.eye(size)


def _dominant(batch, size):
    """Far from singular."""
    return torch.randn(batch, size, size) / (2 * size**0.5) + torch.eye(size)


@task(contract={"kind": "decomposition", "equation": "cholesky"}, library=True)
def cholesky(a: Expression["_definite(batch, size)"]) -> Tensor:
    """The lower triangular L for which L L^T is A."""
    return torch.linalg.cholesky(a)


@task(contract={"kind": "decomposition", "equation": "solve"}, library=True)
def solve(a: Expression["_dominant(batch, size)"], b: Float["batch size cols"]) -> Tensor:
    """The X for which A X is B."""
    return torch.linalg.solve(a, b)


@task(contract={"kind": "decomposition", "equation": "inverse"}, library=True)
def invert_matrix_lu(a: Expression["_dominant(batch, size)"]) -> Tensor:
    """The inverse of each matrix."""
    return torch.linalg.inv(a)


@task(contract={"kind": "decomposition", "equation": "svd"}, library=True)
def svd(a: Float["batch size cols"]) -> tuple[Tensor, Tensor, Tensor]:
    """A = U diag(S) Vh, reduced; S descending."""
    u, s, vh = torch.linalg.svd(a, full_matrices=False)
    return u, s, vh


@task()
def cholesky_solve(a: Float["batch size size"], b: Float["batch size cols"]) -> Tensor:
    """The X for which A A^T / n + 1 times X is B."""
    size = a.shape[-1]
    definite = a @ a.transpose(-2, -1) / size + torch.eye(size, device=a.device, dtype=a.dtype)
    return torch.cholesky_solve(b, torch.linalg.cholesky(definite))


@task(library=True)
def det(a: Expression["_dominant(batch, size)"]) -> Tensor:
    """The determinant of each matrix."""
    return torch.linalg.det(a)


@task()
def determinant_lu(a: Expression["_dominant(batch, size)"]) -> tuple[Tensor, Tensor]:
    """The sign of the determinant and the logarithm of its size."""
    sign, logarithm = torch.linalg.slogdet(a)
    return sign, logarithm


@task()
def determinant_via_qr(a: Expression["_dominant(batch, size)"]) -> Tensor:
    """The absolute determinant, as the product of the diagonal of R."""
    return torch.linalg.qr(a).R.diagonal(dim1=-2, dim2=-1).abs().prod(dim=-1)


@task()
def lu_solve_transposed(
    a: Expression["_dominant(batch, size)"], b: Float["batch size cols"]
) -> Tensor:
    """The X for which the transpose of A times X is B, by the triangular factors of A."""
    factors, pivots = torch.linalg.lu_factor(a)
    return torch.linalg.lu_solve(factors, pivots, b, adjoint=True)


@task()
def pseudoinverse_svd(a: Expression["_dominant(batch, size)"]) -> Tensor:
    """The pseudoinverse of each matrix, by its singular values."""
    return torch.linalg.pinv(a)


@task()
def matrix_power_eig(a: Expression["_definite(batch, size)"]) -> Tensor:
    """The third power of a symmetric matrix."""
    values, vectors = torch.linalg.eigh(a)
    return (vectors * values.pow(3).unsqueeze(-2)) @ vectors.transpose(-2, -1)


@task()
def solve_symmetric_ldl(
    a: Expression["_definite(batch, size)"], b: Float["batch size cols"]
) -> Tensor:
    """The X for which a symmetric A times X is B."""
    return torch.linalg.solve(a, b)


@task()
def solve_and_add_scaled_vector(
    a: Expression["_well_upper(batch, size)"], b: Float["batch size"], y: Float["batch size"]
) -> Tensor:
    """The x for which a triangular A times x is b, plus 0.3 y."""
    found = torch.linalg.solve_triangular(a.triu(), b.unsqueeze(-1), upper=True)
    return found.squeeze(-1) + 0.3 * y


def _well_upper(batch, size):
    """Upper triangular, with a diagonal that keeps solutions tame."""
    return torch.randn(batch, size, size).triu(1) / size + torch.eye(size) * 1.5


@task()
def eigenvalues_symmetric(a: Expression["_definite(batch, size)"]) -> Tensor:
    """The eigenvalues of a symmetric matrix, ascending."""
    return torch.linalg.eigvalsh(a)


@task()
def low_rank_product(a: Float["batch size cols"], b: Float["batch cols size"]) -> Tensor:
    """The sum of squares of a product of low rank, for each member of a batch."""
    return (a @ b).square().sum(dim=(-2, -1))
