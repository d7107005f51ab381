"""BLAS, levels 1 to 3: real and complex, banded, triangular, symmetric, batched with a stride."""

import torch
from torch import Tensor

from assay.tasks.families.family_words import Complex, Expression, Float, task

FAMILY = {"category": "MatrixMultiply", "kerneleval": "GEMM", "level": "K3", "source": "blas"}
AXES = {
    "n": {"own": 256, "high": 1024, "role": "batch"},
    "m": {"own": 192, "high": 1024},
    "k": {"own": 96, "high": 512},
    "length": {"own": 262144, "high": 1048576, "role": "batch"},
    "terms": {"own": 262144, "high": 1048576, "role": "size"},
    "batch": {"own": 8, "high": 64, "role": "batch"},
    "size": {"own": 48, "high": 128},
}
BAND = 3  # diagonals on each side


def _well_triangular(n):
    """Lower triangular, with a diagonal that keeps solutions tame."""
    return torch.randn(n, n).tril(-1) / max(n, 1) + torch.diag(torch.rand(n) + 1)


def _whole(packed):
    """The symmetric matrix whose lower triangle is given."""
    return packed.tril() + packed.tril(-1).transpose(-2, -1)


@task(level="K1", kerneleval="elementwise", category="Math")
def axpy(x: Float["length"], y: Float["length"]) -> Tensor:
    """y + 1.5 x."""
    return y + 1.5 * x


@task(level="K1", kerneleval="elementwise", category="Math")
def scal(x: Float["length"]) -> Tensor:
    """0.75 x."""
    return 0.75 * x


@task(level="K1", kerneleval="reduction", category="Reduce")
def dot(x: Float["length"], y: Float["length"]) -> Tensor:
    """The dot product."""
    return torch.dot(x, y)


@task(level="K1", kerneleval="reduction", category="Reduce")
def nrm2(x: Float["length"]) -> Tensor:
    """The Euclidean norm."""
    return torch.linalg.vector_norm(x)


@task(level="K1", kerneleval="reduction", category="Reduce")
def asum(x: Float["length"]) -> Tensor:
    """The sum of absolute values."""
    return x.abs().sum()


@task(level="K1", kerneleval="reduction", category="Reduce")
def iamax(x: Float["terms"]) -> Tensor:
    """Where the largest absolute value first stands."""
    return x.abs().argmax()


@task(level="K1", kerneleval="elementwise", category="Math")
def rot(x: Float["length"], y: Float["length"]) -> tuple[Tensor, Tensor]:
    """A plane rotation by the angle of 3, 4, 5."""
    return 0.6 * x + 0.8 * y, 0.6 * y - 0.8 * x


@task(level="K1", kerneleval="reduction", category="Reduce", difficulty="medium")
def cdotc(x: Complex["length"], y: Complex["length"]) -> Tensor:
    """The dot product of the conjugate of x with y."""
    return torch.vdot(x, y)


@task(level="K2")
def gemv(a: Float["m n"], x: Float["n"], y: Float["m"]) -> Tensor:
    """2 A x + y / 2."""
    return 2 * (a @ x) + 0.5 * y


@task(level="K2")
def ger(a: Float["m n"], x: Float["m"], y: Float["n"]) -> Tensor:
    """A + 0.5 x y^T."""
    return a + 0.5 * torch.outer(x, y)


@task(level="K2", difficulty="medium")
def symv(packed: Float["n n"], x: Float["n"]) -> Tensor:
    """A symmetric matrix, of which the lower triangle counts, times x."""
    return _whole(packed) @ x


@task(level="K2", difficulty="medium")
def trmv(a: Float["n n"], x: Float["n"]) -> Tensor:
    """The lower triangle of A times x."""
    return a.tril() @ x


@task(level="K2", difficulty="hard")
def trsv(a: Expression["_well_triangular(n)"], b: Float["n"]) -> Tensor:
    """The x for which the lower triangle of A times x is b."""
    return torch.linalg.solve_triangular(a.tril(), b[:, None], upper=False)[:, 0]


@task(level="K2", difficulty="hard")
def gbmv(bands: Float["7 n"], x: Float["n"]) -> Tensor:
    """A matrix of seven diagonals, given as rows, times x."""
    padded = torch.nn.functional.pad(x, (BAND, BAND))
    n = len(x)
    return sum(bands[d] * padded[d : d + n] for d in range(2 * BAND + 1))


@task(difficulty="medium")
def gemm(a: Float["m k"], b: Float["k n"], c: Float["m n"]) -> Tensor:
    """1.25 A B + 0.5 C."""
    return 1.25 * (a @ b) + 0.5 * c


@task(difficulty="medium")
def cgemm(a: Complex["size k"], b: Complex["k size"]) -> Tensor:
    """The conjugate transpose of a complex product."""
    return (a @ b).conj().t().resolve_conj().contiguous()


@task(difficulty="medium")
def symm(packed: Float["m m"], b: Float["m n"]) -> Tensor:
    """A symmetric matrix, of which the lower triangle counts, times B."""
    return _whole(packed) @ b


@task(difficulty="medium")
def syrk(a: Float["n k"], c: Float["n n"]) -> Tensor:
    """The lower triangle of A A^T + C / 2."""
    return (a @ a.t() + 0.5 * c).tril()


@task(difficulty="medium")
def trmm(a: Float["m m"], b: Float["m n"]) -> Tensor:
    """The upper triangle of A times B."""
    return a.triu() @ b


@task(difficulty="hard")
def trsm(a: Expression["_well_triangular(m)"], b: Float["m n"]) -> Tensor:
    """The X for which the lower triangle of A times X is B."""
    return torch.linalg.solve_triangular(a.tril(), b, upper=False)


@task(difficulty="medium")
def gemm_strided_batched(a: Float["batch size k"], b: Float["batch k size"]) -> Tensor:
    """0.5 A B for each member of a batch."""
    return 0.5 * torch.bmm(a, b)


@task(difficulty="medium")
def hemv(packed: Complex["size size"], x: Complex["size"]) -> Tensor:
    """A Hermitian matrix, of which the lower triangle counts, times x."""
    strict = packed.tril(-1)
    diagonal = torch.diag(packed.diagonal().real).to(packed.dtype)
    return (strict + strict.conj().t() + diagonal) @ x
