import torch
import torch.nn as nn
from torch.utils import cpp_extension

SOURCE = """
#include <torch/extension.h>
template <typename T> static void lines(const T* x, T* y, int64_t outer, int64_t n, int64_t inner) {
  for (int64_t o = 0; o < outer; ++o) for (int64_t i = 0; i < inner; ++i) {
    double acc = 1.0;
    const int64_t base = o * n * inner + i;
    for (int64_t k = 0; k < n; ++k) { acc *= static_cast<double>(x[base + k * inner]); y[base + k * inner] = static_cast<T>(acc); }
  }
}
at::Tensor running_product(const at::Tensor& input, int64_t dim) {
  auto x = input.contiguous();
  auto y = at::empty_like(x);
  const int64_t d = dim < 0 ? dim + x.dim() : dim;
  TORCH_CHECK(d >= 0 && d < x.dim(), "dim out of range");
  int64_t outer = 1, inner = 1;
  for (int64_t i = 0; i < d; ++i) outer *= x.size(i);
  for (int64_t i = d + 1; i < x.dim(); ++i) inner *= x.size(i);
  AT_DISPATCH_FLOATING_TYPES(x.scalar_type(), "running_product", [&] {
    lines<scalar_t>(x.data_ptr<scalar_t>(), y.data_ptr<scalar_t>(), outer, x.size(d), inner);
  });
  return y;
}
"""

ops = cpp_extension.load_inline("honest_running_product", SOURCE, functions=["running_product"], extra_cflags=["-O2"])


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    @torch.no_grad()
    def forward(self, x):
        return ops.running_product(x, self.dim)
