// Eight-bit codes times the scale of their block of 32.
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t*,
                                    int32_t* dtype) {
  if (inputs[0].dtype != ASSAY_I8 || inputs[1].dtype != ASSAY_F32) return "int8 and float32 only";
  *dtype = ASSAY_F32;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &codes = inputs[0], &scale = inputs[1];
  const int8_t* from = static_cast<const int8_t*>(codes.data);
  const float* scales = static_cast<const float*>(scale.data);
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < codes.shape[0]; ++row)
    for (int64_t i = 0; i < codes.shape[1]; ++i)
      *to++ = from[row * codes.stride[0] + i * codes.stride[1]] *
              scales[row * scale.stride[0] + i / 32 * scale.stride[1]];
  return nullptr;
}
