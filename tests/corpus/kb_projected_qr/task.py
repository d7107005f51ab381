import torch
import torch.nn as nn


class Model(nn.Module):
    """Orthonormal basis of projected features, and their coordinates in it."""

    def __init__(self, features, rank):
        super().__init__()
        self.proj = nn.Linear(features, rank, bias=False)

    def forward(self, x):
        return torch.linalg.qr(self.proj(x))


batch = 16
points = 40
features = 64
rank = 12


def get_inputs():
    return [torch.randn(batch, points, features)]


def get_init_inputs():
    return [features, rank]
