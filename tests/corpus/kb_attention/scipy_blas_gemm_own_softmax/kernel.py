import numpy as np
import torch
import torch.nn as nn
from numba import njit
from scipy.linalg import blas


@njit
def _softmax(s, scale):
    for i in range(s.shape[0]):
        m = s[i, 0]
        for j in range(s.shape[1]):
            m = max(m, s[i, j])
        z = np.float32(0)
        for j in range(s.shape[1]):
            s[i, j] = np.exp((s[i, j] - m) * scale)
            z += s[i, j]
        for j in range(s.shape[1]):
            s[i, j] /= z


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, q, k, v):
        D = q.shape[-1]
        out = torch.empty(q.shape[:-1] + (v.shape[-1],))
        fq, fk, fv, fo = (t.contiguous().view(-1, t.shape[-2], t.shape[-1]).numpy() for t in (q, k, v, out))
        for h in range(fq.shape[0]):
            s = np.ascontiguousarray(blas.sgemm(1.0, fk[h].T, fq[h].T, trans_a=1).T)
            _softmax(s, np.float32(D ** -0.5))
            fo[h] = blas.sgemm(1.0, fv[h].T, s.T).T
        return out
