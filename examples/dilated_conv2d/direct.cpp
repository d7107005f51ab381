// Three by three places, two apart; weights are over twelve, the border is zero.
#include <vector>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].ndim != 4 || inputs[0].dtype != ASSAY_F32) return "float32 images only";
  shape[1] = inputs[1].shape[0];
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &weight = inputs[1], &y = outputs[0];
  const int64_t height = x.shape[2], width = x.shape[3];
  float* out = static_cast<float*>(y.data);
#pragma omp parallel for collapse(2)
  for (int64_t image = 0; image < x.shape[0]; ++image)
    for (int64_t k = 0; k < weight.shape[0]; ++k) {
      float* to = out + (image * y.shape[1] + k) * y.shape[2] * y.shape[3];
      std::vector<double> sums(y.shape[2] * y.shape[3], 0.0);
      for (int64_t c = 0; c < x.shape[1]; ++c) {
        const float* from =
            static_cast<const float*>(x.data) + image * x.stride[0] + c * x.stride[1];
        const float* w =
            static_cast<const float*>(weight.data) + k * weight.stride[0] + c * weight.stride[1];
        for (int64_t tap = 0; tap < 3 * 3; ++tap) {
          const int64_t down = tap / 3, right = tap % 3;
          const float factor = w[down * weight.stride[2] + right * weight.stride[3]] / 12.0f;
          for (int64_t row = 0; row < y.shape[2]; ++row) {
            const int64_t r = row + 2 * (down - 1);
            if (r < 0 || r >= height) continue;
            for (int64_t i = 0; i < y.shape[3]; ++i) {
              const int64_t s = i + 2 * (right - 1);
              if (s >= 0 && s < width)
                sums[row * y.shape[3] + i] += factor * from[r * x.stride[2] + s * x.stride[3]];
            }
          }
        }
      }
      for (int64_t i = 0; i < y.shape[2] * y.shape[3]; ++i) to[i] = static_cast<float>(sums[i]);
    }
  return nullptr;
}
