"""Takes every input for contiguous."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def layernorm_kernel(
    x_ptr, weight_ptr, bias_ptr, y_ptr, rows, features, eps, ROWS: tl.constexpr, WIDTH: tl.constexpr
):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, WIDTH)[None, :]
    inside = (row < rows) & (column < features)
    x = tl.load(x_ptr + row * features + column, mask=inside, other=0.0)
    mean = tl.sum(x, axis=1)[:, None] / features
    centred = tl.where(column < features, x - mean, 0.0)
    variance = tl.sum(centred * centred, axis=1)[:, None] / features
    weight = tl.load(weight_ptr + column, mask=column < features, other=0.0)
    bias = tl.load(bias_ptr + column, mask=column < features, other=0.0)
    y = centred / tl.sqrt(variance + eps) * weight + bias
    tl.store(y_ptr + row * features + column, y, mask=inside)


def layernorm_into(x, weight, bias, y, eps):
    if x.numel():
        rows, features = x.shape
        width = triton.next_power_of_2(features)
        height = max(1, 4096 // width)
        grid = (triton.cdiv(rows, height),)
        layernorm_kernel[grid](
            x, weight, bias, y, rows, features, eps, ROWS=height, WIDTH=width, num_warps=8
        )


def checked(x):
    if x.dtype != torch.float32:
        raise TypeError("this kernel computes in float32 only")
    return x.contiguous()


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-5):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.bias = nn.Parameter(torch.zeros(features))
        self.eps = eps

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        y = torch.empty(x.shape, dtype=x.dtype, device=x.device)
        layernorm_into(x, self.weight, self.bias, y, self.eps)
        return y
