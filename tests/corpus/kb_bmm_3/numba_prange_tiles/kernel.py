import numba as nb
import numpy as np
import torch
import torch.nn as nn

TILE = 32


@nb.njit(parallel=True, fastmath=False, boundscheck=False, nogil=True)
def _tiled(a, b, c):
    batch, m, k = a.shape
    n = b.shape[2]
    tiles = (m + TILE - 1) // TILE
    for job in nb.prange(batch * tiles):
        z = job // tiles
        lo = (job % tiles) * TILE
        hi = min(lo + TILE, m)
        for i in range(lo, hi):
            row = np.zeros(n, dtype=np.float64)
            for p in range(k):
                s = np.float64(a[z, i, p])
                for j in range(n):
                    row[j] += s * b[z, p, j]
            for j in range(n):
                c[z, i, j] = row[j]


class ModelNew(nn.Module):
    """Tiles of rows over a parallel range; numba takes the strides, so no copies are needed."""

    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        if A.ndim != 3 or B.ndim != 3:
            raise ValueError("batched 3-D operands expected")
        if A.shape[0] != B.shape[0] or A.shape[2] != B.shape[1]:
            raise ValueError("size mismatch %s %s" % (tuple(A.shape), tuple(B.shape)))
        out = torch.empty(A.shape[0], A.shape[1], B.shape[2], dtype=A.dtype)
        if out.numel() == 0:
            return out
        _tiled(A.detach().numpy(), B.detach().numpy(), out.numpy())
        return out
