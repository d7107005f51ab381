import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def _plus(a, b):
    return a + b


@triton.jit
def _scan(x_ptr, m_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    base = row * n
    carry = tl.zeros((1,), dtype=tl.float64)
    for start in range(0, n, BLOCK):
        c = start + tl.arange(0, BLOCK)
        ok = c < n
        x = tl.load(x_ptr + base + c, mask=ok, other=0.0)
        m = tl.load(m_ptr + base + c, mask=ok, other=0)
        v = (x * m.to(tl.float32)).to(tl.float64)
        s = tl.cumsum(v, axis=0) + carry
        tl.store(y_ptr + base + c, s.to(tl.float32), mask=ok)
        carry += tl.sum(v, axis=0)


class ModelNew(nn.Module):
    """Block scan with a running carry, double inside, float outside."""

    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x, mask):
        assert x.shape == mask.shape
        xs = x.movedim(self.dim, -1).contiguous()
        ms = mask.movedim(self.dim, -1).contiguous().view(torch.int8)
        ys = torch.empty_like(xs)
        n = xs.shape[-1]
        if ys.numel():
            _scan[(ys.numel() // n,)](xs, ms, ys, n, BLOCK=min(1024, max(16, triton.next_power_of_2(n))))
        return ys.movedim(-1, self.dim).contiguous()
