import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit
def _bmm(a, b, c):
    nb, m, k = a.shape
    n = b.shape[2]
    for s in range(nb):
        for i in range(m):
            for j in range(n):
                c[s, i, j] = np.float32(0)
            for p in range(k):
                t = a[s, i, p]
                for j in range(n):
                    c[s, i, j] += t * b[s, p, j]


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        if A.dtype != torch.float32 or B.dtype != torch.float32:
            raise TypeError("float32 only")
        if A.shape[0] != B.shape[0] or A.shape[2] != B.shape[1]:
            raise ValueError("shapes do not match")
        A = A.detach().contiguous()
        B = B.detach().contiguous()
        C = torch.empty((A.shape[0], A.shape[1], B.shape[2]), dtype=torch.float32)
        _bmm(A.numpy(), B.numpy(), C.numpy())
        return C
