// x with -2 where the mask is set.
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &mask = inputs[1];
  if (x.dtype != ASSAY_F32 || mask.dtype != ASSAY_BOOL) return "float32 and bool only";
  const float* from = static_cast<const float*>(x.data);
  const bool* set = static_cast<const bool*>(mask.data);
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < x.shape[0]; ++row)
    for (int64_t i = 0; i < x.shape[1]; ++i)
      *to++ = set[row * mask.stride[0] + i * mask.stride[1]]
                  ? -2.0f
                  : from[row * x.stride[0] + i * x.stride[1]];
  return nullptr;
}
