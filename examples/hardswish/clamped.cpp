// Hard swish: the first argument of max and min is the one that carries NaN through.
#include <algorithm>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  if (x.ndim != 2 || x.dtype != ASSAY_F32) return "float32 matrices only";
  const float* from = static_cast<const float*>(x.data);
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < x.shape[0]; ++row)
    for (int64_t i = 0; i < x.shape[1]; ++i) {
      const float v = from[row * x.stride[0] + i * x.stride[1]];
      *to++ = v * std::min(std::max(v + 3.0f, 0.0f), 6.0f) / 6.0f;
    }
  return nullptr;
}
