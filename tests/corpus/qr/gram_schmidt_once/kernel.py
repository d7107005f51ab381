"""Classical Gram-Schmidt without a second pass: columns that lean on each other are not orthogonal."""

import numba
import numpy as np
import torch
import torch.nn as nn


@numba.njit
def factorise(a, q, r):
    batch, rows, cols = a.shape
    count = min(rows, cols)
    for b in range(batch):
        for j in range(cols):
            column = a[b, :, j].copy()
            last = min(j, count)
            for _ in range(1):
                shares = np.zeros(last, np.float32)
                for p in range(last):
                    for i in range(rows):
                        shares[p] += q[b, i, p] * column[i]
                for p in range(last):
                    for i in range(rows):
                        column[i] -= shares[p] * q[b, i, p]
                    r[b, p, j] += shares[p]
            if j < count:
                length = np.sqrt((column * column).sum())
                r[b, j, j] = length
                for i in range(rows):
                    q[b, i, j] = column[i] / length


class ModelNew(nn.Module):
    def forward(self, a):
        batch, rows, cols = a.shape
        count = min(rows, cols)
        q, r = torch.zeros(batch, rows, count), torch.zeros(batch, count, cols)
        factorise(a.contiguous().numpy(), q.numpy(), r.numpy())
        return q, r
