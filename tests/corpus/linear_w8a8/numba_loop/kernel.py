"""The scheme as written, in Numba."""

import numba
import numpy as np
import torch
import torch.nn as nn


@numba.njit
def linear(x, w, ws, y):
    codes = np.empty(x.shape[1], np.int32)
    for i in range(x.shape[0]):
        largest = np.float32(0)
        for p in range(x.shape[1]):
            largest = max(largest, abs(x[i, p]))
        scale = largest / np.float32(127) if largest > 0 else np.float32(1)
        for p in range(x.shape[1]):
            codes[p] = np.int32(np.rint(x[i, p] / scale))
        for j in range(w.shape[0]):
            total = np.int32(0)
            for p in range(x.shape[1]):
                total += codes[p] * np.int32(w[j, p])
            y[i, j] = np.float32(total) * scale * ws[j]


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features):
        super().__init__()
        codes = torch.zeros(out_features, in_features, dtype=torch.int8)
        self.register_buffer("weight_codes", codes)
        self.register_buffer("weight_scale", torch.ones(out_features))

    def forward(self, x):
        y = torch.empty((x.shape[0], self.weight_codes.shape[0]), dtype=torch.float32)
        arrays = (x.contiguous(), self.weight_codes, self.weight_scale, y)
        linear(*(t.numpy() for t in arrays))
        return y
