// Bilinear values at the places that the grid gives; corners outside the image count as zero,
// and a place that is NaN gives NaN.
#include <cmath>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].ndim != 4 || inputs[0].dtype != ASSAY_F32) return "float32 images only";
  shape[2] = inputs[1].shape[1];
  shape[3] = inputs[1].shape[2];
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &grid = inputs[1];
  const int64_t height = x.shape[2], width = x.shape[3];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t image = 0; image < x.shape[0]; ++image)
    for (int64_t channel = 0; channel < x.shape[1]; ++channel) {
      const float* from =
          static_cast<const float*>(x.data) + image * x.stride[0] + channel * x.stride[1];
      for (int64_t row = 0; row < grid.shape[1]; ++row)
        for (int64_t i = 0; i < grid.shape[2]; ++i) {
          const float* at = static_cast<const float*>(grid.data) + image * grid.stride[0] +
                            row * grid.stride[1] + i * grid.stride[2];
          const float across = ((at[0] + 1.0f) * width - 1.0f) / 2.0f;
          const float down = ((at[grid.stride[3]] + 1.0f) * height - 1.0f) / 2.0f;
          const float left = std::floor(across), top = std::floor(down);
          float sum = 0.0f;
          for (int corner = 0; corner < 4; ++corner) {
            const float r = top + corner / 2, c = left + corner % 2;
            const bool inside = r >= 0 && r < height && c >= 0 && c < width;
            const float value = inside ? from[static_cast<int64_t>(r) * x.stride[2] +
                                              static_cast<int64_t>(c) * x.stride[3]]
                                       : 0.0f;
            sum += (1.0f - std::fabs(down - r)) * (1.0f - std::fabs(across - c)) * value;
          }
          *to++ = sum;
        }
    }
  return nullptr;
}
