"""Kernels of each representation and hardware level, small enough to compile in a test."""

# ruff: noqa: E501  (candidates are judged, not styled)

TRITON_ADD = r"""
import torch, triton
import triton.language as tl

@triton.jit
def add(x, y, out, n, BLOCK: tl.constexpr):
    o = tl.program_id(0) * BLOCK + tl.arange(0, BLOCK)
    tl.store(out + o, tl.load(x + o, mask=o < n) + tl.load(y + o, mask=o < n), mask=o < n)

class ModelNew(torch.nn.Module):
    def forward(self, x, y):
        out = torch.empty_like(x)
        add[(triton.cdiv(x.numel(), 1024),)](x, y, out, x.numel(), BLOCK=1024)
        return out
"""

TORCH_MATMUL = r"""
import torch
class ModelNew(torch.nn.Module):
    def forward(self, a, b):
        return torch.matmul(a, b)
"""

WMMA = r"""
#include <mma.h>
using namespace nvcuda;
extern "C" __global__ void product(const half* a, const half* b, float* c) {
  wmma::fragment<wmma::matrix_a, 16, 16, 16, half, wmma::row_major> fa;
  wmma::fragment<wmma::matrix_b, 16, 16, 16, half, wmma::col_major> fb;
  wmma::fragment<wmma::accumulator, 16, 16, 16, float> fc;
  wmma::fill_fragment(fc, 0.0f);
  wmma::load_matrix_sync(fa, a, 16);
  wmma::load_matrix_sync(fb, b, 16);
  wmma::mma_sync(fc, fa, fb, fc);
  wmma::store_matrix_sync(c, fc, 16, wmma::mem_row_major);
}
"""

PIPELINE = r"""
#include <cuda_pipeline.h>
extern "C" __global__ void staged(const float4* in, float4* out, int tiles) {
  __shared__ float4 stage[2][128];
  __pipeline_memcpy_async(&stage[0][threadIdx.x], in + threadIdx.x, 16);
  __pipeline_commit();
  for (int tile = 0; tile < tiles; ++tile) {
    if (tile + 1 < tiles) {
      __pipeline_memcpy_async(&stage[(tile + 1) & 1][threadIdx.x], in + (tile + 1) * 128 + threadIdx.x, 16);
      __pipeline_commit();
      __pipeline_wait_prior(1);
    } else {
      __pipeline_wait_prior(0);
    }
    __syncthreads();
    out[tile * 128 + threadIdx.x] = stage[tile & 1][127 - threadIdx.x];
    __syncthreads();
  }
}
"""

HOPPER = r"""
#include <cuda.h>
#include <cstdint>
extern "C" __global__ void hopper(const __grid_constant__ CUtensorMap map, uint64_t da, uint64_t db, float* out) {
  extern __shared__ __align__(128) unsigned char tile[];
  __shared__ uint64_t barrier;
  uint32_t at = (uint32_t)__cvta_generic_to_shared(tile);
  uint32_t gate = (uint32_t)__cvta_generic_to_shared(&barrier);
  if (threadIdx.x == 0) {
    asm volatile("mbarrier.init.shared::cta.b64 [%0], 1;" :: "r"(gate));
    asm volatile("mbarrier.arrive.expect_tx.shared::cta.b64 _, [%0], 8192;" :: "r"(gate));
    asm volatile("cp.async.bulk.tensor.2d.shared::cluster.global.mbarrier::complete_tx::bytes"
                 " [%0], [%1, {%2, %3}], [%4];"
                 :: "r"(at), "l"(&map), "r"(0), "r"(0), "r"(gate) : "memory");
  }
  __syncthreads();
  float d[4] = {0.f, 0.f, 0.f, 0.f};
  asm volatile("wgmma.fence.sync.aligned;");
  asm volatile("{ .reg .pred p; setp.ne.b32 p, 1, 0;\n"
               "wgmma.mma_async.sync.aligned.m64n8k16.f32.f16.f16 {%0, %1, %2, %3}, %4, %5, p, 1, 1, 0, 0; }"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3]) : "l"(da), "l"(db));
  asm volatile("wgmma.commit_group.sync.aligned;");
  asm volatile("wgmma.wait_group.sync.aligned 0;");
  for (int i = 0; i < 4; ++i) out[threadIdx.x * 4 + i] = d[i];
}
"""

CUTE = r"""
#include <cute/tensor.hpp>
using namespace cute;
__global__ void scaled(const float* in, float* out, int rows) {
  auto shape = make_shape(rows, Int<128>{});
  auto stride = make_stride(Int<128>{}, Int<1>{});
  auto a = make_tensor(make_gmem_ptr(in), shape, stride);
  auto b = make_tensor(make_gmem_ptr(out), shape, stride);
  auto tile = make_shape(Int<8>{}, Int<128>{});
  auto ours = local_tile(a, tile, make_coord(blockIdx.x, 0));
  auto theirs = local_tile(b, tile, make_coord(blockIdx.x, 0));
  auto threads = make_layout(make_shape(Int<1>{}, Int<128>{}));
  auto from = local_partition(ours, threads, threadIdx.x);
  auto to = local_partition(theirs, threads, threadIdx.x);
  CUTE_UNROLL
  for (int i = 0; i < size(from); ++i) to(i) = 2.f * from(i);
}
"""

DEAD_ASSEMBLY = r"""
template <int N> __device__ void never(int* x) { asm volatile("cp.async.commit_group;"); }
extern "C" __global__ void plain(float* x) { x[threadIdx.x] *= 2.f; }
"""
