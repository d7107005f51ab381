// Both halves of each head rotated by the angles of their place; sine and cosine once a place.
#include <cmath>
#include <vector>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &angle = inputs[1];
  if (x.ndim != 3 || x.dtype != ASSAY_F32) return "float32 heads only";
  const int64_t half = angle.shape[1], step = x.stride[2];
  float* to = static_cast<float*>(outputs[0].data);
  std::vector<float> cosine(half), sine(half);
  for (int64_t token = 0; token < x.shape[0]; ++token) {
    for (int64_t i = 0; i < half; ++i) {
      const double a = static_cast<const float*>(
          angle.data)[token * angle.stride[0] + i * angle.stride[1]];
      cosine[i] = static_cast<float>(std::cos(a));
      sine[i] = static_cast<float>(std::sin(a));
    }
    for (int64_t head = 0; head < x.shape[1]; ++head, to += 2 * half) {
      const float* from =
          static_cast<const float*>(x.data) + token * x.stride[0] + head * x.stride[1];
      for (int64_t i = 0; i < half; ++i) {
        const float first = from[i * step], second = from[(half + i) * step];
        to[i] = first * cosine[i] - second * sine[i];
        to[half + i] = second * cosine[i] + first * sine[i];
      }
    }
  }
  return nullptr;
}
