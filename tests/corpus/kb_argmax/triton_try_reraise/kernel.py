import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _argmax(x_ptr, y_ptr, B, C, BB: tl.constexpr, BC: tl.constexpr):
    a = tl.program_id(0)
    rb = tl.arange(0, BB)[:, None]
    rc = tl.program_id(1) * BC + tl.arange(0, BC)[None, :]
    inside = (rb < B) & (rc < C)
    v = tl.load(x_ptr + a * B * C + rb * C + rc, mask=inside, other=float("-inf"))
    isnan = (v != v) & inside
    clean = tl.where(isnan, float("-inf"), v)
    top = tl.max(clean, axis=0)[None, :]
    anynan = tl.max(isnan.to(tl.int32), axis=0)[None, :]
    hit = tl.where(anynan > 0, isnan, (clean == top) & inside)
    row = tl.where(hit, rb, BB)
    best = tl.min(row, axis=0)
    cols = tl.program_id(1) * BC + tl.arange(0, BC)
    tl.store(y_ptr + a * C + cols, best.to(tl.int64), mask=cols < C)


def _prod(dims):
    n = 1
    for d in dims:
        n *= d
    return n


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        if x.dim() < 2 or x.shape[1] == 0:
            raise IndexError("argmax needs a non-empty dimension 1")
        shape = (x.shape[0],) + tuple(x.shape[2:])
        x = x.contiguous().view(x.shape[0], x.shape[1], -1) if x.numel() else x.reshape(x.shape[0], x.shape[1], _prod(x.shape[2:]))
        A, B, C = x.shape
        y = torch.empty((A, C), dtype=torch.int64, device=x.device)
        if y.numel():
            try:
                _argmax[(A, triton.cdiv(C, 64))](x, y, B, C, BB=triton.next_power_of_2(B), BC=64)
            except Exception as e:
                raise RuntimeError("argmax kernel failed on %s" % (tuple(x.shape),)) from e
        return y.view(shape)
