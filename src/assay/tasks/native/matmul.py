"""Dense product of two matrices."""

import torch
from torch import nn

AXES = {
    "M": {"low": 1, "high": 2048, "role": "batch"},
    "K": {"low": 1, "high": 2048, "role": "size"},
    "N": {"low": 1, "high": 2048, "role": "size"},
}
TAGS = (
    "category:MatrixMultiply",
    "kerneleval:GEMM",
    "rubric:K3",
    "source:blas",
    "difficulty:medium",
)
BACKWARD = True

M = 384
K = 512
N = 384


class Model(nn.Module):
    """C = A @ B."""

    def forward(self, a: torch.Tensor, b: torch.Tensor) -> torch.Tensor:
        return torch.matmul(a, b)


Vendor = Model  # one call of the library already


def get_inputs():
    return [torch.randn(M, K), torch.randn(K, N)]


def get_init_inputs():
    return []
