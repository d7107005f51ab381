"""A reduction that CuPy compiles from expressions of the candidate's own."""

import cupy
import torch
import torch.nn as nn

KERNEL = cupy.ReductionKernel("T x", "T y", "x", "a + b", "y = a", "0", "sums_of_rows")


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.zeros(x.shape[0], dtype=x.dtype, device=x.device)
        if x.numel():
            with cupy.cuda.ExternalStream(torch.cuda.current_stream().cuda_stream):
                KERNEL(cupy.from_dlpack(x.detach()), cupy.from_dlpack(y), axis=1)
        return y
