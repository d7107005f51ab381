import math

import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit
def _mm(a, b, out):
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = 0.0
        for k in range(a.shape[1]):
            v = a[i, k]
            for j in range(b.shape[1]):
                out[i, j] += v * b[k, j]


@njit
def _attend(x, wq, wk, wv, wo, y):
    B, S, D = x.shape
    q = np.empty((S, D), np.float32)
    k = np.empty((S, D), np.float32)
    v = np.empty((S, D), np.float32)
    c = np.empty((S, D), np.float32)
    p = np.empty(S, np.float32)
    scale = np.float32(1.0)
    for b in range(B):
        _mm(x[b], wq, q)
        _mm(x[b], wk, k)
        _mm(x[b], wv, v)
        for i in range(S):
            m = np.float32(-np.inf)
            bad = False
            for j in range(S):
                s = np.float32(0.0)
                for d in range(D):
                    s += q[i, d] * k[j, d]
                s *= scale
                p[j] = s
                if s != s:
                    bad = True
                if s > m:
                    m = s
            if bad:
                m = np.float32(np.nan)
            z = np.float32(0.0)
            for j in range(S):
                p[j] = math.exp(p[j] - m)
                z += p[j]
            for d in range(D):
                c[i, d] = 0.0
            for j in range(S):
                w = p[j] / z
                for d in range(D):
                    c[i, d] += w * v[j, d]
        _mm(c, wo, y[b])


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.wq = nn.Parameter(0.01 * torch.randn(dim, dim))
        self.wk = nn.Parameter(0.01 * torch.randn(dim, dim))
        self.wv = nn.Parameter(0.01 * torch.randn(dim, dim))
        self.wo = nn.Parameter(0.01 * torch.randn(dim, dim))

    def forward(self, x):
        y = torch.empty(x.shape, dtype=x.dtype)
        w = [t.detach().contiguous().numpy() for t in (self.wq, self.wk, self.wv, self.wo)]
        _attend(x.contiguous().numpy(), *w, y.numpy())
        return y
