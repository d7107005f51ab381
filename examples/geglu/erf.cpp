// GELU of the gate, by the error function, times the other half.
#include <cmath>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &y = inputs[1];
  if (x.ndim != 2 || x.dtype != ASSAY_F32) return "float32 matrices only";
  const float* a = static_cast<const float*>(x.data);
  const float* b = static_cast<const float*>(y.data);
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < x.shape[0]; ++row)
    for (int64_t i = 0; i < x.shape[1]; ++i) {
      const float v = a[row * x.stride[0] + i * x.stride[1]];
      const float w = b[row * y.stride[0] + i * y.stride[1]];
      *to++ = 0.5f * v * (1.0f + std::erf(v * 0.70710678118654752f)) * w;
    }
  return nullptr;
}
