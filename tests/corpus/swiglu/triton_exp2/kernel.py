"""Triton with exp2 of a scaled argument and a grid that strides over the elements."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def gate_kernel(g_ptr, u_ptr, y_ptr, count, programs, BLOCK: tl.constexpr):
    for start in range(tl.program_id(0) * BLOCK, count, programs * BLOCK):
        place = start + tl.arange(0, BLOCK)
        inside = place < count
        g = tl.load(g_ptr + place, mask=inside)
        u = tl.load(u_ptr + place, mask=inside)
        tl.store(y_ptr + place, g / (1.0 + tl.exp2(g * -1.4426950408889634)) * u, mask=inside)


class ModelNew(nn.Module):
    def forward(self, gate, up):
        if gate.dtype != torch.float32 or up.dtype != torch.float32 or gate.shape != up.shape:
            raise TypeError("this kernel takes two float32 tensors of one shape")
        gate, up = gate.contiguous(), up.contiguous()
        y = torch.empty_like(gate)
        if gate.numel():
            gate_kernel[(4,)](gate, up, y, gate.numel(), 4, BLOCK=65536)
        return y
