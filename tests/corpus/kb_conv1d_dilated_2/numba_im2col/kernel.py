import threading

import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit(cache=False, error_model="numpy")
def unfold(x, col, K, S, D):
    C = x.shape[0]
    T = col.shape[1]
    for c in range(C):
        for k in range(K):
            r = c * K + k
            for t in range(T):
                col[r, t] = x[c, t * S + k * D]


@njit(cache=False, error_model="numpy")
def contract(w, col, bias, has_bias, out):
    O, R = w.shape
    T = col.shape[1]
    for o in range(O):
        start = bias[o] if has_bias else np.float32(0.0)
        for t in range(T):
            out[o, t] = start
        for r in range(R):
            a = w[o, r]
            for t in range(T):
                out[o, t] += a * col[r, t]


_NOTHING = np.zeros(1, dtype=np.float32)


class ModelNew(nn.Module):
    """im2col into a scratch matrix (kept per shape, overwritten on every call), then a hand-made GEMM."""

    def __init__(self, in_channels, out_channels, kernel_size, stride=1, dilation=1, bias=False):
        super().__init__()
        self.conv1d = nn.Conv1d(in_channels, out_channels, kernel_size, stride=stride, dilation=dilation, bias=bias)
        self._scratch = {}

    def _column_buffer(self, rows, cols):
        key = rows, cols, threading.get_ident()  # a scratch matrix belongs to one thread
        if key not in self._scratch:
            if len(self._scratch) > 8:
                self._scratch.clear()
            self._scratch[key] = torch.empty(rows, cols)
        return self._scratch[key]

    @torch.no_grad()
    def forward(self, x):
        m = self.conv1d
        (K,), (S,), (D,) = m.kernel_size, m.stride, m.dilation
        B, C, L = x.shape
        T = (L - D * (K - 1) - 1) // S + 1
        if C != m.in_channels or T < 1:
            raise RuntimeError("unexpected input size")
        y = torch.empty(B, m.out_channels, T, dtype=x.dtype)
        col = self._column_buffer(C * K, T).numpy()
        w = m.weight.contiguous().view(m.out_channels, C * K).numpy()
        bias = _NOTHING if m.bias is None else m.bias.numpy()
        xs = x.contiguous().numpy()
        for n in range(B):
            unfold(xs[n], col, K, S, D)
            contract(w, col, bias, m.bias is not None, y[n].numpy())
        return y
