// A convolution of width three with a bias; weights are over seven, the border is zero.
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].ndim != 3 || inputs[0].dtype != ASSAY_F32) return "float32 signals only";
  shape[1] = inputs[1].shape[0];
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &weight = inputs[1], &bias = inputs[2];
  const int64_t channels = x.shape[1], length = x.shape[2], made = weight.shape[0];
  float* out = static_cast<float*>(outputs[0].data);
#pragma omp parallel for collapse(2)
  for (int64_t image = 0; image < x.shape[0]; ++image)
    for (int64_t k = 0; k < made; ++k) {
      float* to = out + (image * made + k) * length;
      const float start = static_cast<const float*>(bias.data)[k * bias.stride[0]];
      for (int64_t i = 0; i < length; ++i) to[i] = start;
      for (int64_t c = 0; c < channels; ++c) {
        const float* from =
            static_cast<const float*>(x.data) + image * x.stride[0] + c * x.stride[1];
        const float* w =
            static_cast<const float*>(weight.data) + k * weight.stride[0] + c * weight.stride[1];
        for (int64_t tap = 0; tap < 3; ++tap) {
          const float factor = w[tap * weight.stride[2]] / 7.0f;
          for (int64_t i = tap == 0; i < length - (tap == 2); ++i)
            to[i] += factor * from[(i + tap - 1) * x.stride[2]];
        }
      }
    }
  return nullptr;
}
