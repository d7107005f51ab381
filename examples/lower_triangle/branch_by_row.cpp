// The lower triangle of each matrix, and zeros above it (also where the input has NaN).
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  if (x.ndim != 3 || x.dtype != ASSAY_F32) return "batches of float32 matrices only";
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t b = 0; b < x.shape[0]; ++b)
    for (int64_t row = 0; row < x.shape[1]; ++row) {
      const float* from = static_cast<const float*>(x.data) + b * x.stride[0] + row * x.stride[1];
      for (int64_t i = 0; i < x.shape[2]; ++i) *to++ = i <= row ? from[i * x.stride[2]] : 0.0f;
    }
  return nullptr;
}
