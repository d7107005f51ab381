"""Blocks that stay on the device take rows from a queue, a counter in memory, which the last of them resets."""

import torch
import torch.nn as nn

SOURCE = r"""
__device__ float across_block(float value, bool largest, float* part) {
  for (int step = 16; step > 0; step >>= 1) {
    const float other = __shfl_xor_sync(0xffffffffu, value, step);
    value = largest ? fmaxf(value, other) : value + other;
  }
  __syncthreads();
  if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = value;
  __syncthreads();
  value = part[0];
  for (int warp = 1; warp < 8; ++warp)
    value = largest ? fmaxf(value, part[warp]) : value + part[warp];
  return value;
}

extern "C" __global__ void softmax_queue(const float* x, float* y, int* queue, int rows, int columns) {
  __shared__ float part[8];
  __shared__ int taken;
  for (;;) {
    __syncthreads();
    if (threadIdx.x == 0) taken = atomicAdd(queue, 1);
    __syncthreads();
    const int row = taken;
    if (row >= rows) break;
    const long long begin = static_cast<long long>(row) * columns;
    float top = __int_as_float(0xff800000), sum = 0.0f;
    for (int i = threadIdx.x; i < columns; i += 256) top = fmaxf(top, x[begin + i]);
    top = across_block(top, true, part);
    for (int i = threadIdx.x; i < columns; i += 256) sum += expf(x[begin + i] - top);
    sum = across_block(sum, false, part);
    for (int i = threadIdx.x; i < columns; i += 256) y[begin + i] = expf(x[begin + i] - top) / sum;
  }
  if (threadIdx.x == 0 && atomicAdd(queue + 1, 1) == gridDim.x - 1) queue[0] = queue[1] = 0;
}
"""
KERNEL = torch.cuda._compile_kernel(SOURCE, "softmax_queue")


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        self.queues = {}

    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            stream = torch.cuda.current_stream()
            if stream.cuda_stream not in self.queues:
                queue = torch.zeros(2, dtype=torch.int32, device=x.device)
                self.queues[stream.cuda_stream] = queue
            blocks = torch.cuda.get_device_properties(x.device).multi_processor_count
            given = [x, y, self.queues[stream.cuda_stream], *x.shape]
            KERNEL(grid=(blocks, 1, 1), block=(256, 1, 1), args=given)
        return y
