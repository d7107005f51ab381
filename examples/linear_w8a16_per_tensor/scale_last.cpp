// x times eight-bit weights that share one scale, which is applied to the finished sums.
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].dtype != ASSAY_F32 || inputs[1].dtype != ASSAY_I8) return "float32 and int8 only";
  shape[1] = inputs[1].shape[0];
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &codes = inputs[1];
  const double worth = *static_cast<const float*>(inputs[2].data) / 127.0f;
  float* out = static_cast<float*>(outputs[0].data);
#pragma omp parallel for
  for (int64_t row = 0; row < x.shape[0]; ++row)
    for (int64_t k = 0; k < codes.shape[0]; ++k) {
      const float* from = static_cast<const float*>(x.data) + row * x.stride[0];
      const int8_t* weight = static_cast<const int8_t*>(codes.data) + k * codes.stride[0];
      double sum = 0.0;
      for (int64_t i = 0; i < x.shape[1]; ++i)
        sum += static_cast<double>(from[i * x.stride[1]]) * weight[i * codes.stride[1]];
      out[row * codes.shape[0] + k] = static_cast<float>(sum * worth);
    }
  return nullptr;
}
