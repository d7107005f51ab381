import numpy as np
import torch
import torch.nn as nn
from numba import njit, prange


@njit(parallel=False)
def _kernel(a, b, c):
    for s in prange(a.shape[0]):
        np.dot(a[s], b[s], c[s])


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        C = torch.empty(A.shape[0], A.shape[1], B.shape[2])
        _kernel(A.contiguous().numpy(), B.contiguous().numpy(), C.numpy())
        return C
