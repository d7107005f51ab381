// Each row over its Euclidean norm, which counts as at least 1e-12.
#include <cmath>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  if (x.ndim != 2 || x.dtype != ASSAY_F32) return "float32 matrices only";
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    const float* from = static_cast<const float*>(x.data) + row * x.stride[0];
    double squares = 0.0;
    for (int64_t i = 0; i < x.shape[1]; ++i) {
      const double v = from[i * x.stride[1]];
      squares += v * v;
    }
    const double norm = squares < 1e-24 ? 1e-12 : std::sqrt(squares);
    for (int64_t i = 0; i < x.shape[1]; ++i)
      *to++ = static_cast<float>(from[i * x.stride[1]] / norm);
  }
  return nullptr;
}
