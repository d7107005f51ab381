"""RMS norm over the second dimension in Triton: a block of inner positions a program."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def rms_kernel(x_ptr, y_ptr, features, inner, eps, BLOCK: tl.constexpr):
    start = tl.program_id(0).to(tl.int64) * features * inner
    places = tl.program_id(1) * BLOCK + tl.arange(0, BLOCK)
    inside = places < inner
    total = tl.zeros([BLOCK], tl.float32)
    for feature in range(features):
        x = tl.load(x_ptr + start + feature * inner + places, mask=inside, other=0.0)
        total += x * x
    root = tl.sqrt(total / features + eps)
    for feature in range(features):
        x = tl.load(x_ptr + start + feature * inner + places, mask=inside, other=0.0)
        tl.store(y_ptr + start + feature * inner + places, x / root, mask=inside)


class ModelNew(nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.eps = eps

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            batch, features = x.shape[:2]
            inner = x.numel() // (batch * features)
            grid = (batch, triton.cdiv(inner, 1024))
            rms_kernel[grid](x, y, features, inner, self.eps, BLOCK=1024)
        return y
