// LayerNorm of eight-bit rows with gain. Mean and variance are taken of the codes: their sum is a
// whole number, so a code that equals the mean gives zero. The scale enters with the epsilon only.
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
  for (int64_t row = 0; row < codes.shape[0]; ++row) {
    const int8_t* from = static_cast<const int8_t*>(codes.data) + row * codes.stride[0];
    const double worth = static_cast<const float*>(scale.data)[row * scale.stride[0]] / 127.0;
    int64_t sum = 0;
    for (int64_t i = 0; i < columns; ++i) sum += from[i * codes.stride[1]];
    const double mean = static_cast<double>(sum) / columns;
    double squares = 0.0;
    for (int64_t i = 0; i < columns; ++i) {
      const double difference = from[i * codes.stride[1]] - mean;
      squares += difference * difference;
    }
    const double factor = worth / std::sqrt(squares / columns * worth * worth + 1e-5);
    for (int64_t i = 0; i < columns; ++i)
      *to++ = static_cast<float>((from[i * codes.stride[1]] - mean) * factor *
                                 static_cast<const float*>(gain.data)[i * gain.stride[0]]);
  }
  return nullptr;
}
