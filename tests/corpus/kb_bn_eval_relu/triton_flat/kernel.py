import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _bn_relu(x_ptr, mean_ptr, var_ptr, w_ptr, b_ptr, y_ptr, n, C, S, eps, BLOCK: tl.constexpr):
    offs = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    keep = offs < n
    c = (offs // S) % C
    scale = tl.load(w_ptr + c, mask=keep, other=0.0) / tl.sqrt(tl.load(var_ptr + c, mask=keep, other=1.0) + eps)
    x = tl.load(x_ptr + offs, mask=keep, other=0.0)
    y = (x - tl.load(mean_ptr + c, mask=keep, other=0.0)) * scale + tl.load(b_ptr + c, mask=keep, other=0.0)
    tl.store(y_ptr + offs, tl.where(y < 0.0, 0.0, y), mask=keep)


class ModelNew(nn.Module):
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x):
        x = x.contiguous()
        N, C, H, W = x.shape
        y = torch.empty_like(x)
        bn = self.bn
        if y.numel():
            _bn_relu[(triton.cdiv(x.numel(), 16384),)](x, bn.running_mean, bn.running_var, bn.weight, bn.bias, y, x.numel(), C, H * W, bn.eps, BLOCK=16384)
        return y
