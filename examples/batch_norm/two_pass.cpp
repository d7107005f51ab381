// Each channel less its mean over all images, over its deviation, with gain and bias.
#include <cmath>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &gain = inputs[1], &bias = inputs[2];
  if (x.ndim != 4 || x.dtype != ASSAY_F32) return "float32 images only";
  const int64_t channels = x.shape[1], width = x.shape[3], area = x.shape[2] * width;
  const int64_t count = x.shape[0] * area;
  for (int64_t channel = 0; channel < channels; ++channel) {
    const float* from = static_cast<const float*>(x.data) + channel * x.stride[1];
    float* to = static_cast<float*>(outputs[0].data) + channel * area;
    const auto read = [&](int64_t i) {
      const int64_t place = i % area;
      return from[i / area * x.stride[0] + place / width * x.stride[2] +
                  place % width * x.stride[3]];
    };
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; i < count; ++i) sum += read(i);
    const double mean = sum / count;
    for (int64_t i = 0; i < count; ++i) squares += (read(i) - mean) * (read(i) - mean);
    const double scale = 1.0 / std::sqrt(squares / count + 1e-5);
    const float g = static_cast<const float*>(gain.data)[channel * gain.stride[0]];
    const float b = static_cast<const float*>(bias.data)[channel * bias.stride[0]];
    for (int64_t i = 0; i < count; ++i)
      to[i / area * channels * area + i % area] =
          static_cast<float>((read(i) - mean) * scale * g + b);
  }
  return nullptr;
}
