"""All steps of one element in registers, in Numba."""

import numba
import numpy as np
import torch
import torch.nn as nn


@numba.njit
def adamw(p, g, m, v, out_p, out_m, out_v):
    rest1, rest2 = np.float32(1 - 0.9), np.float32(1 - 0.999)
    lr, decay, eps = np.float32(1e-2), np.float32(1e-2), np.float32(1e-8)
    b1, b2 = np.float32(0.9), np.float32(0.999)
    for i in range(p.size):
        param, mean, square = p[i], m[i], v[i]
        for s in range(g.shape[0]):
            mean = b1 * mean + rest1 * g[s, i]
            square = b2 * square + rest2 * g[s, i] * g[s, i]
            first = np.float32(1 - 0.9 ** (5 + s))
            second = np.float32(1 - 0.999 ** (5 + s))
            root = np.sqrt(square) / np.sqrt(second) + eps
            param -= lr * decay * param
            param -= lr / first * mean / root
        out_p[i], out_m[i], out_v[i] = param, mean, square


class ModelNew(nn.Module):
    def forward(self, param, grads, mean, square):
        outputs = [torch.empty(param.shape, dtype=param.dtype) for _ in range(3)]
        arrays = [t.contiguous().numpy() for t in (param, grads, mean, square)]
        adamw(*arrays, *(t.numpy() for t in outputs))
        return tuple(outputs)
