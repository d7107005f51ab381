"""A C++ extension built by torch's load_inline; only allocation and layout are the library's."""

import torch.nn as nn
from torch.utils.cpp_extension import load_inline


SOURCE = r"""
#include <torch/extension.h>
torch::Tensor product(torch::Tensor first, torch::Tensor second) {
  TORCH_CHECK(first.scalar_type() == torch::kFloat, "this kernel computes in float32 only");
  auto a = first.contiguous(), b = second.contiguous();
  const long m = a.size(0), k = a.size(1), n = b.size(1);
  auto c = torch::zeros({m, n}, a.options());
  const float* pa = a.data_ptr<float>();
  const float* pb = b.data_ptr<float>();
  float* pc = c.data_ptr<float>();
  for (long i = 0; i < m; ++i)
    for (long p = 0; p < k; ++p)
      for (long j = 0; j < n; ++j) pc[i * n + j] += pa[i * k + p] * pb[p * n + j];
  return c;
}
"""
EXTENSION = load_inline("own_product", SOURCE, functions=["product"], extra_cflags=["-O3"])


class ModelNew(nn.Module):
    def forward(self, a, b):
        return EXTENSION.product(a, b)
