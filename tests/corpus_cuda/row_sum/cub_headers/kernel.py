"""CUB's segmented sum, compiled from its headers by nvcc: code of the candidate's own."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cub/cub.cuh>

struct Begins {
  long columns;
  __host__ __device__ long operator()(long row) const { return row * columns; }
};

extern "C" int row_sums(const float* x, float* y, long rows, long columns, void* kept, size_t* bytes,
                        void* stream) {
  using Counting = cub::CountingInputIterator<long>;
  cub::TransformInputIterator<long, Begins, Counting> begins(Counting(0), Begins{columns});
  return static_cast<int>(cub::DeviceSegmentedReduce::Sum(
      kept, *bytes, x, y, static_cast<int>(rows), begins, begins + 1,
      static_cast<cudaStream_t>(stream)));
}
"""
OTHER = r"""
#include <cub/cub.cuh>

__global__ void row_sums_of_blocks(const float* x, float* y, long columns) {
  using Reduce = cub::BlockReduce<float, 256>;
  __shared__ typename Reduce::TempStorage kept;
  float sum = 0.0f;
  for (long i = threadIdx.x; i < columns; i += 256) sum += x[blockIdx.x * columns + i];
  sum = Reduce(kept).Sum(sum);
  if (threadIdx.x == 0) y[blockIdx.x] = sum;
}

extern "C" int row_sums(const float* x, float* y, long rows, long columns, void* kept, size_t* bytes,
                        void* stream) {
  if (!kept) { *bytes = 1; return 0; }
  row_sums_of_blocks<<<rows, 256, 0, static_cast<cudaStream_t>(stream)>>>(x, y, columns);
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


try:
    LIB = build(SOURCE)
except subprocess.CalledProcessError:  # iterators that newer headers no longer have
    LIB = build(OTHER)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.zeros(x.shape[0], dtype=x.dtype, device=x.device)
        if not x.numel():
            return y
        stream = ctypes.c_void_p(torch.cuda.current_stream().cuda_stream)
        pointers = [ctypes.c_void_p(t.data_ptr()) for t in (x, y)]
        sizes = [ctypes.c_long(size) for size in x.shape]
        needed = ctypes.c_size_t()
        LIB.row_sums(*pointers, *sizes, None, ctypes.byref(needed), stream)
        kept = torch.empty(max(1, needed.value), dtype=torch.uint8, device=x.device)
        LIB.row_sums(*pointers, *sizes, ctypes.c_void_p(kept.data_ptr()), ctypes.byref(needed), stream)
        return y
