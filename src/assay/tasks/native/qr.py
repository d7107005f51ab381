"""Orthogonal factorisation of a batch of matrices."""

import torch
from torch import nn

AXES = {
    "batch": {"low": 1, "high": 512, "role": "batch"},
    "rows": {"low": 1, "high": 256, "role": "size"},
    "cols": {"low": 1, "high": 128, "role": "size"},
}
TAGS = (
    "category:LinearAlgebra",
    "kerneleval:decomposition",
    "rubric:K4",
    "source:aten",
    "difficulty:hard",
)
CONTRACT = {"kind": "decomposition", "equation": "qr"}

batch = 64
rows = 48
cols = 24


class Model(nn.Module):
    """A = Q R, reduced: Q has orthonormal columns, R is upper triangular; signs are free."""

    def forward(self, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        q, r = torch.linalg.qr(a)
        return q, r


Vendor = Model  # one call of the library already


def get_inputs():
    return [torch.randn(batch, rows, cols)]


def get_init_inputs():
    return []
