"""CUDA C++ with tiles of 32 by 32 in shared memory, compiled by nvcc, called through ctypes."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
constexpr int TILE = 32;

__global__ void matmul_tiles(const float* a, const float* b, float* c, int m, int n, int k) {
  __shared__ float left[TILE][TILE], right[TILE][TILE];
  const int row = blockIdx.y * TILE + threadIdx.y, column = blockIdx.x * TILE + threadIdx.x;
  float sum = 0.0f;
  for (int start = 0; start < k; start += TILE) {
    const int i = start + threadIdx.x, j = start + threadIdx.y;
    left[threadIdx.y][threadIdx.x] = row < m && i < k ? a[row * k + i] : 0.0f;
    right[threadIdx.y][threadIdx.x] = j < k && column < n ? b[j * n + column] : 0.0f;
    __syncthreads();
    for (int p = 0; p < TILE; ++p) sum = fmaf(left[threadIdx.y][p], right[p][threadIdx.x], sum);
    __syncthreads();
  }
  if (row < m && column < n) c[row * n + column] = sum;
}

extern "C" int launch(const float* a, const float* b, float* c, int m, int n, int k, void* stream) {
  const dim3 grid((n + TILE - 1) / TILE, (m + TILE - 1) / TILE), block(TILE, TILE);
  matmul_tiles<<<grid, block, 0, static_cast<cudaStream_t>(stream)>>>(a, b, c, m, n, k);
  return static_cast<int>(cudaGetLastError());
}
"""


def build(source):
    """A shared object for the device at hand."""
    path = os.path.join(tempfile.mkdtemp(), "kernel.cu")
    with open(path, "w") as file:
        file.write(source)
    major, minor = torch.cuda.get_device_capability()
    arch = f"-arch=sm_{major}{minor}"
    command = ["nvcc", "-O3", arch, "-shared", "-Xcompiler", "-fPIC", "-o", path + ".so", path]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.launch.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_int] * 3 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        a, b = a.contiguous(), b.contiguous()
        m, k = a.shape
        n = b.shape[1]
        c = torch.empty((m, n), dtype=a.dtype, device=a.device)
        if c.numel():
            stream = torch.cuda.current_stream().cuda_stream
            code = LIB.launch(a.data_ptr(), b.data_ptr(), c.data_ptr(), m, n, k, stream)
            if code:
                raise RuntimeError(f"launch failed with CUDA error {code}")
        return c
