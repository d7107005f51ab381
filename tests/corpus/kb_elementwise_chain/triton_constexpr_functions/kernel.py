import torch
import torch.nn as nn
import triton
import triton.language as tl

LOW: tl.constexpr = tl.constexpr(-1.5)
HIGH: tl.constexpr = tl.constexpr(4.0)


@triton.jit
def _sigmoid(v):
    return 1.0 / (1.0 + tl.exp(-v))


@triton.jit
def _tanh(v):
    # odd and stable: e = exp(-2|v|) never overflows; small |v| by the series, to keep relative accuracy
    a = tl.abs(v)
    e = tl.exp(-2.0 * a)
    t = (1.0 - e) / (1.0 + e)
    v2 = v * v
    small = a * (1.0 - v2 * (0.3333333333 - v2 * (0.1333333333 - v2 * 0.0539682540)))
    t = tl.where(a < 0.05, small, t)
    return tl.where(v < 0, -t, t)


@triton.jit
def _chain(x_ptr, g_ptr, y_ptr, n, scale, slope, BLOCK: tl.constexpr, PER_PROGRAM: tl.constexpr):
    base = tl.program_id(0) * BLOCK * PER_PROGRAM
    for it in tl.static_range(PER_PROGRAM):
        i = base + it * BLOCK + tl.arange(0, BLOCK)
        ok = i < n
        x = tl.load(x_ptr + i, mask=ok, other=0.0)
        g = tl.load(g_ptr + i, mask=ok, other=0.0)
        y = x * scale + 0.25
        y = tl.where(y > 0, y, y * slope)
        y = tl.where(y < LOW, LOW, tl.where(y > HIGH, HIGH, y))
        tl.store(y_ptr + i, y * _sigmoid(g) + _tanh(x), mask=ok)


class ModelNew(nn.Module):
    def __init__(self, scale, slope):
        super().__init__()
        self.scale = scale
        self.slope = slope

    def forward(self, x, gate):
        assert x.shape == gate.shape and x.dtype == gate.dtype == torch.float32
        x, gate = x.contiguous(), gate.contiguous()
        y = torch.empty_like(x)
        n = x.numel()
        if n:
            _chain[(triton.cdiv(n, 4096 * 4),)](x, gate, y, n, self.scale, self.slope, BLOCK=4096, PER_PROGRAM=4)
        return y
