// GELU by tanh of a cubic.
#include <cmath>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  if (x.ndim != 2 || x.dtype != ASSAY_F32) return "float32 matrices only";
  const float* from = static_cast<const float*>(x.data);
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < x.shape[0]; ++row)
    for (int64_t i = 0; i < x.shape[1]; ++i) {
      const float v = from[row * x.stride[0] + i * x.stride[1]];
      const float inner = 0.7978845608028654f * (v + 0.044715f * v * v * v);
      *to++ = 0.5f * v * (1.0f + std::tanh(inner));
    }
  return nullptr;
}
