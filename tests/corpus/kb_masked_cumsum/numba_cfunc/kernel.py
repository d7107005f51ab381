"""A Numba cfunc called by its address through ctypes."""

import ctypes

import torch
import torch.nn as nn
from numba import carray, cfunc, types

SIGNATURE = types.void(types.CPointer(types.float32), types.CPointer(types.boolean), types.CPointer(types.float32), types.int64, types.int64)


@cfunc(SIGNATURE)
def masked(x, m, y, rows, n):
    given, mask, made = carray(x, (rows, n)), carray(m, (rows, n)), carray(y, (rows, n))
    for r in range(rows):
        total = 0.0
        for i in range(n):
            total += given[r, i] * mask[r, i]
            made[r, i] = total


RUN = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 3, *[ctypes.c_int64] * 2)(masked.address)


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x, mask):
        if x.dtype != torch.float32 or mask.dtype != torch.bool or x.shape != mask.shape:
            raise TypeError("this kernel takes float32 rows and booleans of one shape")
        x, mask = x.movedim(self.dim, -1).contiguous(), mask.movedim(self.dim, -1).contiguous()
        y = torch.empty_like(x)
        n = x.shape[-1]
        RUN(x.data_ptr(), mask.data_ptr(), y.data_ptr(), x.numel() // max(1, n), n)
        return y.movedim(-1, self.dim)
