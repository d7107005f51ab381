"""One Triton block for each 32768 elements."""

import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def swiglu_kernel(gate_ptr, up_ptr, y_ptr, count, BLOCK: tl.constexpr):
    offsets = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    mask = offsets < count
    gate = tl.load(gate_ptr + offsets, mask=mask, other=0.0)
    up = tl.load(up_ptr + offsets, mask=mask, other=0.0)
    tl.store(y_ptr + offsets, gate * (1.0 / (1.0 + tl.exp(-gate))) * up, mask=mask)


class ModelNew(nn.Module):
    def forward(self, gate, up):
        if gate.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        gate, up = gate.contiguous(), up.contiguous()
        y = torch.empty_like(gate)
        count = y.numel()
        if count:
            swiglu_kernel[(triton.cdiv(count, 32768),)](gate, up, y, count, BLOCK=32768)
        return y
