import torch
import torch.nn as nn
from torch.utils.cpp_extension import load_inline

_src = r"""
#include <torch/extension.h>
torch::Tensor fused(torch::Tensor x, torch::Tensor w, torch::Tensor b, double slope) {
  auto y = at::linear(x, w, b).contiguous();
  float* p = y.data_ptr<float>(); const float s = (float)slope;
  for (int64_t i = 0; i < y.numel(); ++i) p[i] = p[i] > 0.f ? p[i] : p[i] * s;
  return y;
}
"""
_ext = load_inline(name="red_a_linear_leaky", cpp_sources=_src, functions=["fused"], verbose=False)


class ModelNew(nn.Module):
    def __init__(self, in_features, out_features, slope):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)
        self.slope = slope

    def forward(self, x):
        return _ext.fused(x, self.fc.weight.detach(), self.fc.bias.detach(), self.slope)
