// The largest of windows of three by three, every second place; the border is outside, not zero.
#include <algorithm>
#include <cmath>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].ndim != 4 || inputs[0].dtype != ASSAY_F32) return "float32 images only";
  shape[2] = (inputs[0].shape[2] - 1) / 2 + 1;
  shape[3] = (inputs[0].shape[3] - 1) / 2 + 1;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  const int64_t height = x.shape[2], width = x.shape[3];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t image = 0; image < x.shape[0]; ++image)
    for (int64_t channel = 0; channel < x.shape[1]; ++channel) {
      const float* from =
          static_cast<const float*>(x.data) + image * x.stride[0] + channel * x.stride[1];
      for (int64_t row = 0; row < height; row += 2)
        for (int64_t column = 0; column < width; column += 2) {
          float largest = -INFINITY;
          for (int64_t r = std::max<int64_t>(row - 1, 0); r < std::min(row + 2, height); ++r)
            for (int64_t c = std::max<int64_t>(column - 1, 0); c < std::min(column + 2, width); ++c) {
              const float v = from[r * x.stride[2] + c * x.stride[3]];
              if (v > largest || v != v) largest = v;  // once NaN, no comparison replaces it
            }
          *to++ = largest;
        }
    }
  return nullptr;
}
