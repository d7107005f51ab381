import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Batched matmul."""

    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.bmm(A, B)


batch = 8
M = 96
K = 128
N = 96


def get_inputs():
    return [torch.rand(batch, M, K), torch.rand(batch, K, N)]


def get_init_inputs():
    return []
