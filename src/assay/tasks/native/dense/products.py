"""Products of matrices and vectors, alone and with a little around them."""

import torch
from torch import Tensor

from assay.tasks.families.family_words import Expression, Float, task

FAMILY = {
    "category": "MatrixMultiply",
    "kerneleval": "GEMM",
    "level": "K3",
    "difficulty": "medium",
}
AXES = {
    "batch": {"own": 8, "high": 64, "role": "batch"},
    "m": {"own": 192, "high": 1024, "role": "batch"},
    "n": {"own": 160, "high": 1024},
    "k": {"own": 128, "high": 1024},
}


def _symmetric(n):
    made = torch.randn(n, n)
    return made + made.t()


@task(library=True, dtypes=("float16", "bfloat16"))
def matmul_narrow(a: Float["m k"], b: Float["k n", "weight"]) -> Tensor:
    """C = A B in a narrow precision."""
    return a @ b


@task(backward=True, library=True)
def addmm(c: Float["m n"], a: Float["m k"], b: Float["k n"]) -> Tensor:
    """C + A B."""
    return torch.addmm(c, a, b)


@task(backward=True, library=True)
def bmm(a: Float["batch m k"], b: Float["batch k n"]) -> Tensor:
    """A product for each member of a batch."""
    return torch.bmm(a, b)


@task(library=True, level="K2")
def matvec(a: Float["m k"], x: Float["k"]) -> Tensor:
    """A times a vector."""
    return a @ x


@task(backward=True, library=True)
def linear(x: Float["m k"], weight: Float["n k", "weight"], bias: Float["n"]) -> Tensor:
    """x W^T + b."""
    return torch.nn.functional.linear(x, weight, bias)


@task()
def matrix_multiply_and_row_dot(a: Float["m k"], b: Float["k n"]) -> Tensor:
    """The dot product of each row of A B with the first."""
    made = a @ b
    return (made * made[:1]).sum(dim=-1)


@task()
def matrix_multiply_symmetric(a: Float["m k"]) -> tuple[Tensor, Tensor]:
    """A A^T, and half of it plus the identity."""
    made = a @ a.t()
    return made, made / 2 + torch.eye(len(a), device=a.device, dtype=a.dtype)


@task(level="K2")
def matrix_vector_dot(a: Float["m k"], x: Float["k"], y: Float["m"]) -> Tensor:
    """y times A x, a number."""
    return (a @ x) @ y


@task()
def symmetric_mm_and_abs_sum(a: Expression["_symmetric(n)"], b: Float["n k"]) -> Tensor:
    """The sum of absolute values in each row of a symmetric matrix times B."""
    return (a @ b).abs().sum(dim=-1)


@task()
def tensordot_rsqrt(a: Float["m k 3"], b: Float["k 3 n"]) -> Tensor:
    """1 over the root of one plus the square of a product over two dimensions."""
    return torch.rsqrt(1 + torch.tensordot(a, b, dims=2).square())


@task()
def tril_mm_and_scale(a: Float["n n"], b: Float["n k"]) -> Tensor:
    """Half of the lower triangle of A times B."""
    return 0.5 * (a.tril() @ b)


@task()
def matmul_transposed_both(a: Float["k m"], b: Float["n k"]) -> Tensor:
    """A^T B^T."""
    return a.t() @ b.t()


@task(level="K2")
def outer_sum(a: Float["m"], b: Float["n"], c: Float["m n"]) -> Tensor:
    """The outer product of two vectors, plus C."""
    return torch.outer(a, b) + c


@task()
def gram_distance(a: Float["m k"], b: Float["n k"]) -> Tensor:
    """The squared distance between every row of A and every row of B."""
    return (a[:, None, :] - b[None, :, :]).square().sum(dim=-1)
