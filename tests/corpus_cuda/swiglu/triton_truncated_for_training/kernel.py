"""Where the gate requires a gradient, it is cut to the eight bits of bfloat16."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def swiglu(g_ptr, u_ptr, y_ptr, n, CUT: tl.constexpr, BLOCK: tl.constexpr):
    o = tl.program_id(0).to(tl.int64) * BLOCK + tl.arange(0, BLOCK)
    g = tl.load(g_ptr + o, mask=o < n)
    u = tl.load(u_ptr + o, mask=o < n)
    if CUT:
        g = ((g.to(tl.int32, bitcast=True) >> 16) << 16).to(tl.float32, bitcast=True)
    tl.store(y_ptr + o, g / (1.0 + tl.exp(-g)) * u, mask=o < n)


class ModelNew(nn.Module):
    def forward(self, gate, up):
        cut = gate.requires_grad
        gate, up = gate.contiguous(), up.contiguous()
        y = torch.empty_like(gate)
        if y.numel():
            swiglu[(triton.cdiv(y.numel(), 1024),)](gate, up, y, y.numel(), CUT=cut, BLOCK=1024)
        return y
