// Four channels as two by two places of one.
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].ndim != 4 || inputs[0].dtype != ASSAY_F32) return "float32 images only";
  if (inputs[0].shape[1] % 4) return "the number of channels is not a multiple of four";
  shape[1] /= 4;
  shape[2] *= 2;
  shape[3] *= 2;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t image = 0; image < x.shape[0]; ++image)
    for (int64_t channel = 0; channel < x.shape[1] / 4; ++channel)
      for (int64_t row = 0; row < 2 * x.shape[2]; ++row)
        for (int64_t i = 0; i < 2 * x.shape[3]; ++i) {
          const int64_t source = 4 * channel + 2 * (row % 2) + i % 2;
          *to++ = static_cast<const float*>(
              x.data)[image * x.stride[0] + source * x.stride[1] + row / 2 * x.stride[2] +
                      i / 2 * x.stride[3]];
        }
  return nullptr;
}
