// The squared distance between every row of A and every row of B, by differences: the shorter
// formula a a + b b - 2 a b loses the digits of rows that lie near each other.
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].ndim != 2 || inputs[0].dtype != ASSAY_F32) return "float32 matrices only";
  shape[1] = inputs[1].shape[0];
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &a = inputs[0], &b = inputs[1];
  float* out = static_cast<float*>(outputs[0].data);
#pragma omp parallel for
  for (int64_t row = 0; row < a.shape[0]; ++row)
    for (int64_t other = 0; other < b.shape[0]; ++other) {
      const float* left = static_cast<const float*>(a.data) + row * a.stride[0];
      const float* right = static_cast<const float*>(b.data) + other * b.stride[0];
      double sum = 0.0;
      for (int64_t i = 0; i < a.shape[1]; ++i) {
        const double d = static_cast<double>(left[i * a.stride[1]]) - right[i * b.stride[1]];
        sum += d * d;
      }
      out[row * b.shape[0] + other] = static_cast<float>(sum);
    }
  return nullptr;
}
