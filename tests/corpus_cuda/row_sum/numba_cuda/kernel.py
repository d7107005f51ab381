"""Numba for CUDA: a block a row, summed up in shared memory, on the current stream."""

import numba
import numba.cuda
import torch
import torch.nn as nn

THREADS = 256


@numba.cuda.jit
def row_sum_kernel(x, y):
    part = numba.cuda.shared.array(THREADS, numba.float32)
    row, lane = numba.cuda.blockIdx.x, numba.cuda.threadIdx.x
    total = numba.float32(0.0)
    for i in range(lane, x.shape[1], THREADS):
        total += x[row, i]
    part[lane] = total
    half = THREADS // 2
    while half > 0:
        numba.cuda.syncthreads()
        if lane < half:
            part[lane] += part[lane + half]
        half //= 2
    if lane == 0:
        y[row] = part[0]


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
        if x.numel():
            given, answer = numba.cuda.as_cuda_array(x.detach()), numba.cuda.as_cuda_array(y)
            stream = numba.cuda.external_stream(torch.cuda.current_stream().cuda_stream)
            row_sum_kernel[x.shape[0], THREADS, stream](given, answer)
        return y
