"""One program a row, one block as long as the row: Triton has blocks of powers of two alone."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rows(x_ptr, y_ptr, stride, COLS: tl.constexpr):
    offsets = tl.arange(0, COLS)
    row = tl.program_id(0)
    x = tl.load(x_ptr + row * stride + offsets)
    e = tl.exp(x - tl.max(x, axis=0))
    tl.store(y_ptr + row * COLS + offsets, e / tl.sum(e, axis=0))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        cols = x.shape[-1]
        count = x.numel() // max(cols, 1)
        if count:
            rows[(count,)](x, y, cols, COLS=cols)
        return y
