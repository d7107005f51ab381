// Softmax of x / 4 with masked places at -10000: scale and mask are applied where a row is read.
#include <algorithm>
#include <cmath>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &mask = inputs[1];
  if (x.dtype != ASSAY_F32 || mask.dtype != ASSAY_BOOL) return "float32 and bool only";
  const int64_t columns = x.shape[1];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < x.shape[0]; ++row, to += columns) {
    const float* from = static_cast<const float*>(x.data) + row * x.stride[0];
    const bool* set = static_cast<const bool*>(mask.data) + row * mask.stride[0];
    for (int64_t i = 0; i < columns; ++i)
      to[i] = set[i * mask.stride[1]] ? -1e4f : from[i * x.stride[1]] / 4.0f;
    float largest = to[0];
    for (int64_t i = 1; i < columns; ++i) largest = std::max(largest, to[i]);
    double sum = 0.0;
    for (int64_t i = 0; i < columns; ++i) sum += to[i] = std::exp(to[i] - largest);
    const float scale = static_cast<float>(1.0 / sum);
    for (int64_t i = 0; i < columns; ++i) to[i] *= scale;
  }
  return nullptr;
}
