// Eight groups of channels, each less its mean, over its deviation, with gain and bias.
#include <cmath>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &gain = inputs[1], &bias = inputs[2];
  if (x.ndim != 4 || x.dtype != ASSAY_F32) return "float32 images only";
  if (x.shape[1] % 8) return "the number of channels is not a multiple of eight";
  const int64_t width = x.shape[3], area = x.shape[2] * width, members = x.shape[1] / 8;
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t image = 0; image < x.shape[0]; ++image)
    for (int64_t group = 0; group < 8; ++group, to += members * area) {
      double sum = 0.0, squares = 0.0;
      for (int64_t i = 0; i < members * area; ++i) {
        const int64_t channel = group * members + i / area, place = i % area;
        to[i] = static_cast<const float*>(
            x.data)[image * x.stride[0] + channel * x.stride[1] + place / width * x.stride[2] +
                    place % width * x.stride[3]];
        sum += to[i];
      }
      const double mean = sum / (members * area);
      for (int64_t i = 0; i < members * area; ++i) squares += (to[i] - mean) * (to[i] - mean);
      const double scale = 1.0 / std::sqrt(squares / (members * area) + 1e-5);
      for (int64_t i = 0; i < members * area; ++i) {
        const int64_t channel = group * members + i / area;
        const float g = static_cast<const float*>(gain.data)[channel * gain.stride[0]];
        const float b = static_cast<const float*>(bias.data)[channel * bias.stride[0]];
        to[i] = static_cast<float>((to[i] - mean) * scale * g + b);
      }
    }
  return nullptr;
}
