// Each channel of each image less its mean, over its deviation; statistics in double precision.
#include <cmath>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  if (x.ndim != 4 || x.dtype != ASSAY_F32) return "float32 images only";
  const int64_t width = x.shape[3], count = x.shape[2] * width;
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t image = 0; image < x.shape[0]; ++image)
    for (int64_t channel = 0; channel < x.shape[1]; ++channel) {
      const float* from =
          static_cast<const float*>(x.data) + image * x.stride[0] + channel * x.stride[1];
      double sum = 0.0, squares = 0.0;
      for (int64_t i = 0; i < count; ++i) {
        to[i] = from[i / width * x.stride[2] + i % width * x.stride[3]];
        sum += to[i];
      }
      const double mean = sum / count;
      for (int64_t i = 0; i < count; ++i) squares += (to[i] - mean) * (to[i] - mean);
      const double scale = 1.0 / std::sqrt(squares / count + 1e-5);
      for (int64_t i = 0; i < count; ++i) to[i] = static_cast<float>((to[i] - mean) * scale);
      to += count;
    }
  return nullptr;
}
