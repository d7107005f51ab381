// The largest element of each channel; NaN counts as larger than all.
#include <cmath>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t* ndim,
                                    int32_t*) {
  if (inputs[0].ndim != 4 || inputs[0].dtype != ASSAY_F32) return "float32 images only";
  *ndim = 2;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t image = 0; image < x.shape[0]; ++image)
    for (int64_t channel = 0; channel < x.shape[1]; ++channel) {
      const float* from =
          static_cast<const float*>(x.data) + image * x.stride[0] + channel * x.stride[1];
      float largest = -INFINITY;
      for (int64_t row = 0; row < x.shape[2]; ++row)
        for (int64_t i = 0; i < x.shape[3]; ++i) {
          const float v = from[row * x.stride[2] + i * x.stride[3]];
          if (v > largest || v != v) largest = v;  // once NaN, no comparison replaces it
        }
      *to++ = largest;
    }
  return nullptr;
}
