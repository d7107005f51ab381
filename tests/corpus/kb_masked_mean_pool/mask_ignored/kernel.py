import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _pool(x_ptr, y_ptr, S, D, BS: tl.constexpr, BD: tl.constexpr):
    b = tl.program_id(0)
    d = tl.program_id(1) * BD + tl.arange(0, BD)
    acc = tl.zeros((BD,), dtype=tl.float32)
    for s0 in range(0, S, BS):
        s = s0 + tl.arange(0, BS)
        x = tl.load(x_ptr + (b * S + s[:, None]) * D + d[None, :], mask=(s[:, None] < S) & (d[None, :] < D), other=0.0)
        acc += tl.sum(x, axis=0)
    tl.store(y_ptr + b * D + d, acc / S, mask=d < D)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x, mask):
        x = x.contiguous()
        B, S, D = x.shape
        y = torch.empty((B, D), dtype=x.dtype)
        if y.numel():
            _pool[(B, triton.cdiv(D, 256))](x, y, S, D, BS=64, BD=256)
        return y
