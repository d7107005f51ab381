"""A cluster of four blocks shares a row: the first one reads the others' shared memory."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cooperative_groups.h>

namespace groups = cooperative_groups;

__global__ void __cluster_dims__(4, 1, 1) row_sums(const float* x, float* y, int columns) {
  __shared__ float part[256];
  groups::cluster_group cluster = groups::this_cluster();
  const int rank = cluster.block_rank(), row = blockIdx.x / 4;
  x += static_cast<long long>(row) * columns;
  float sum = 0.0f;
  for (int i = rank * 256 + threadIdx.x; i < columns; i += 1024) sum += x[i];
  part[threadIdx.x] = sum;
  for (int half = 128; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  cluster.sync();
  if (rank == 0 && threadIdx.x == 0) {
    float total = 0.0f;
    for (int other = 0; other < 4; ++other) total += cluster.map_shared_rank(part, other)[0];
    y[row] = total;
  }
  cluster.sync();
}

extern "C" int launch(const float* x, float* y, long long rows, long long columns, void* stream) {
  row_sums<<<4 * rows, 256, 0, static_cast<cudaStream_t>(stream)>>>(x, y, columns);
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
LIB.launch.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_longlong] * 2 + [ctypes.c_void_p]


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.zeros(x.shape[0], device=x.device)
        if x.numel():
            stream = torch.cuda.current_stream().cuda_stream
            code = LIB.launch(x.data_ptr(), y.data_ptr(), *x.shape, stream)
            if code:
                raise RuntimeError(f"launch failed with CUDA error {code}")
        return y
