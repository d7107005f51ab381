"""A CUDA extension built by load_inline without torch's headers: addresses go in as numbers."""

import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

BINDING = r"""
#include <cstdint>
#include <pybind11/pybind11.h>

int row_sum(std::uintptr_t x, std::uintptr_t y, long rows, long columns, std::uintptr_t stream);

PYBIND11_MODULE(TORCH_EXTENSION_NAME, m) { m.def("row_sum", &row_sum); }
"""
SOURCE = r"""
#include <cstdint>
#include <cuda_runtime.h>

extern "C" __global__ void row_sums(const float* x, float* y, long long columns) {
  __shared__ float part[256];
  x += blockIdx.x * columns;
  float sum = 0.0f;
  for (long long i = threadIdx.x; i < columns; i += blockDim.x) sum += x[i];
  part[threadIdx.x] = sum;
  for (int half = blockDim.x / 2; half > 0; half /= 2) {
    __syncthreads();
    if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
  }
  if (threadIdx.x == 0) y[blockIdx.x] = part[0];
}

int row_sum(std::uintptr_t x, std::uintptr_t y, long rows, long columns, std::uintptr_t stream) {
  row_sums<<<rows, 256, 0, reinterpret_cast<cudaStream_t>(stream)>>>(
      reinterpret_cast<const float*>(x), reinterpret_cast<float*>(y), columns);
  return static_cast<int>(cudaGetLastError());
}
"""
EXTENSION = load_inline(
    name="own_row_sum", cpp_sources=BINDING, cuda_sources=SOURCE, no_implicit_headers=True
)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty(x.shape[0], dtype=x.dtype, device=x.device)
        if x.numel():
            stream = torch.cuda.current_stream().cuda_stream
            code = EXTENSION.row_sum(x.data_ptr(), y.data_ptr(), *x.shape, stream)
            if code:
                raise RuntimeError(f"launch failed with CUDA error {code}")
        return y
