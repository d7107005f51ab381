import torch
import torch.nn as nn


class Model(nn.Module):
    """Matmul with both operands transposed: C = A.T @ B.T"""

    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        return torch.matmul(A.T, B.T)


M = 320
K = 448
N = 256


def get_inputs():
    return [torch.rand(K, M), torch.rand(N, K)]


def get_init_inputs():
    return []
