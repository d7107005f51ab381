"""A Triton program owns a few whole rows; each call waits for its own result, as careful wrappers do."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def softmax_kernel(x_ptr, y_ptr, rows, columns, ROWS: tl.constexpr, WIDTH: tl.constexpr):
    row = tl.program_id(0).to(tl.int64) * ROWS + tl.arange(0, ROWS)[:, None]
    column = tl.arange(0, WIDTH)[None, :]
    inside = (row < rows) & (column < columns)
    x = tl.load(x_ptr + row * columns + column, mask=inside, other=-float("inf"))
    e = tl.exp(x - tl.max(x, axis=1)[:, None])
    tl.store(y_ptr + row * columns + column, e / tl.sum(e, axis=1)[:, None], mask=inside)


def softmax_into(x, y):
    if x.numel():
        rows, columns = x.shape
        width = triton.next_power_of_2(columns)
        height = max(1, 4096 // width)
        warps = 4 if width <= 4096 else 16
        grid = (triton.cdiv(rows, height),)
        softmax_kernel[grid](x, y, rows, columns, ROWS=height, WIDTH=width, num_warps=warps)


def checked(x):
    if x.dtype != torch.float32:
        raise TypeError("this kernel computes in float32 only")
    return x.contiguous()


class ModelNew(nn.Module):
    def forward(self, x):
        x = checked(x)
        y = torch.empty_like(x)
        softmax_into(x, y)
        torch.cuda.current_stream().synchronize()
        return y
