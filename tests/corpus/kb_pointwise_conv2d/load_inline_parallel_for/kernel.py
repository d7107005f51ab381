import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_cpp = r"""
#include <torch/extension.h>
#include <ATen/Parallel.h>
#include <c10/util/Optional.h>

torch::Tensor pointwise(const torch::Tensor& input, const torch::Tensor& weight, const std::optional<torch::Tensor>& bias) {
  TORCH_CHECK(input.dim() == 4, "NCHW expected");
  TORCH_CHECK(input.scalar_type() == torch::kFloat, "float expected");
  TORCH_CHECK(input.size(1) == weight.size(1), "channels do not match");
  auto x = input.contiguous();
  auto w = weight.contiguous();
  const int64_t N = x.size(0), C = x.size(1), P = x.size(2) * x.size(3), O = w.size(0);
  auto y = torch::empty({N, O, x.size(2), x.size(3)}, x.options());
  const float* px = x.data_ptr<float>();
  const float* pw = w.data_ptr<float>();
  torch::Tensor bc;
  const float* pb = nullptr;
  if (bias.has_value() && bias->defined()) { bc = bias->contiguous(); pb = bc.data_ptr<float>(); }
  float* py = y.data_ptr<float>();
  at::parallel_for(0, N * O, 8, [&](int64_t lo, int64_t hi) {
    for (int64_t r = lo; r < hi; ++r) {
      const int64_t n = r / O, o = r % O;
      float* out = py + r * P;
      const float start = pb ? pb[o] : 0.0f;
      for (int64_t p = 0; p < P; ++p) out[p] = start;
      for (int64_t c = 0; c < C; ++c) {
        const float s = pw[o * C + c];
        const float* in = px + (n * C + c) * P;
        for (int64_t p = 0; p < P; ++p) out[p] += s * in[p];
      }
    }
  });
  return y;
}
"""

_ext = load_inline(
    name="honest_pointwise_parallel_for",
    cpp_sources=[_cpp],
    functions=["pointwise"],
    extra_cflags=["-O3"],
    verbose=False,
)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, bias=True):
        super().__init__()
        self.conv1d = nn.Conv2d(in_channels, out_channels, kernel_size=1, bias=bias)

    def forward(self, x):
        b = self.conv1d.bias
        return _ext.pointwise(x, self.conv1d.weight.detach(), None if b is None else b.detach())
