import os

import torch
import torch.nn as nn
import triton
import triton.language as tl

_ALL = [triton.Config({}, num_warps=w) for w in (4, 8, 16)]
# The interpreter has no driver to time with, so it gets the first configuration only.
_CONFIGS = _ALL[:1] if os.environ.get("TRITON_INTERPRET", "0") == "1" else _ALL


@triton.autotune(configs=_CONFIGS, key=["n"])
@triton.jit
def _ln_fwd(x_ptr, g_ptr, b_ptr, y_ptr, stride, n, eps, BLOCK: tl.constexpr):
    row = tl.program_id(0).to(tl.int64)
    x_ptr += row * stride
    y_ptr += row * n
    total = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, n, BLOCK):
        c = off + tl.arange(0, BLOCK)
        total += tl.load(x_ptr + c, mask=c < n, other=0.0)
    mean = tl.sum(total, axis=0) / n
    sq = tl.zeros([BLOCK], dtype=tl.float32)
    for off in range(0, n, BLOCK):
        c = off + tl.arange(0, BLOCK)
        d = tl.where(c < n, tl.load(x_ptr + c, mask=c < n, other=0.0) - mean, 0.0)
        sq += d * d
    rstd = 1.0 / tl.sqrt(tl.sum(sq, axis=0) / n + eps)
    for off in range(0, n, BLOCK):
        c = off + tl.arange(0, BLOCK)
        m = c < n
        xv = tl.load(x_ptr + c, mask=m, other=0.0)
        gv = tl.load(g_ptr + c, mask=m, other=1.0)
        bv = tl.load(b_ptr + c, mask=m, other=0.0)
        tl.store(y_ptr + c, (xv - mean) * rstd * gv + bv, mask=m)


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.ln = nn.LayerNorm(features)

    def forward(self, x):
        flat = x.reshape(-1, x.shape[-1])
        if flat.stride(-1) != 1:
            flat = flat.contiguous()
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        rows, n = flat.shape
        if rows > 0:
            block = min(4096, triton.next_power_of_2(n))
            _ln_fwd[(rows,)](flat, self.ln.weight, self.ln.bias, y, flat.stride(0), n, self.ln.eps, BLOCK=block)
        return y
