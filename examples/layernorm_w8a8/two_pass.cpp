// LayerNorm of eight-bit rows after their scales, with gain.
#include <cmath>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t*,
                                    int32_t* dtype) {
  if (inputs[0].dtype != ASSAY_I8 || inputs[1].dtype != ASSAY_F32) return "int8 and float32 only";
  *dtype = ASSAY_F32;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &codes = inputs[0], &scale = inputs[1], &gain = inputs[2];
  const int64_t columns = codes.shape[1];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < codes.shape[0]; ++row, to += columns) {
    const int8_t* from = static_cast<const int8_t*>(codes.data) + row * codes.stride[0];
    const float worth = static_cast<const float*>(scale.data)[row * scale.stride[0]] / 127.0f;
    double sum = 0.0, squares = 0.0;
    for (int64_t i = 0; i < columns; ++i) sum += to[i] = from[i * codes.stride[1]] * worth;
    const double mean = sum / columns;
    for (int64_t i = 0; i < columns; ++i) squares += (to[i] - mean) * (to[i] - mean);
    const double factor = 1.0 / std::sqrt(squares / columns + 1e-5);
    for (int64_t i = 0; i < columns; ++i)
      to[i] = static_cast<float>((to[i] - mean) * factor *
                                 static_cast<const float*>(gain.data)[i * gain.stride[0]]);
  }
  return nullptr;
}
