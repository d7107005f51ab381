// Twice the size, bilinear: pixel centres at halves, and the border repeated.
#include <algorithm>
#include "assay.h"

struct Place {
  int64_t low, high;
  float share;  // of the higher one
};

// Where place i of the output lies between two places of an input of n.
static Place place(int64_t i, int64_t n) {
  const float at = std::max((i + 0.5f) / 2.0f - 0.5f, 0.0f);
  const int64_t low = static_cast<int64_t>(at);
  return {low, std::min(low + 1, n - 1), at - low};
}

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].ndim != 4 || inputs[0].dtype != ASSAY_F32) return "float32 images only";
  shape[2] *= 2;
  shape[3] *= 2;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  const int64_t down = x.stride[2], right = x.stride[3];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t image = 0; image < x.shape[0]; ++image)
    for (int64_t channel = 0; channel < x.shape[1]; ++channel) {
      const float* from =
          static_cast<const float*>(x.data) + image * x.stride[0] + channel * x.stride[1];
      for (int64_t row = 0; row < 2 * x.shape[2]; ++row) {
        const Place r = place(row, x.shape[2]);
        for (int64_t i = 0; i < 2 * x.shape[3]; ++i) {
          const Place c = place(i, x.shape[3]);
          const float upper = from[r.low * down + c.low * right] * (1 - c.share) +
                              from[r.low * down + c.high * right] * c.share;
          const float lower = from[r.high * down + c.low * right] * (1 - c.share) +
                              from[r.high * down + c.high * right] * c.share;
          *to++ = upper * (1 - r.share) + lower * r.share;
        }
      }
    }
  return nullptr;
}
