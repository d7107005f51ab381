"""CUDA C++ for one element, which torch.cuda.jiterator wraps into a kernel and compiles."""

import torch
import torch.nn as nn

SOURCE = """
template <typename T> T gelu_of_one(T x) {
  return T(0.5) * x * (T(1) + erf(x * T(0.70710678118654752)));
}
"""
KERNEL = torch.cuda.jiterator._create_jit_fn(SOURCE)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        return KERNEL(x) if x.numel() else torch.empty_like(x)
