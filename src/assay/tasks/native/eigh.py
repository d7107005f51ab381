"""Eigenvalues and eigenvectors of a batch of symmetric matrices."""

import torch
from torch import nn

AXES = {
    "batch": {"low": 1, "high": 512, "role": "batch"},
    "size": {"low": 1, "high": 96, "role": "size"},
}
TAGS = (
    "category:LinearAlgebra",
    "kerneleval:decomposition",
    "rubric:K4",
    "source:aten",
    "difficulty:hard",
)
CONTRACT = {"kind": "decomposition", "equation": "eigh"}

batch = 32
size = 24


class Model(nn.Module):
    """A V = V diag(w): w ascending, V orthonormal; the basis of equal eigenvalues is free."""

    def forward(self, a: torch.Tensor) -> tuple[torch.Tensor, torch.Tensor]:
        values, vectors = torch.linalg.eigh(a)
        return values, vectors


Vendor = Model  # one call of the library already


def get_inputs():
    a = torch.randn(batch, size, size)
    return [(a + a.transpose(-1, -2)) / 2]


def get_init_inputs():
    return []
