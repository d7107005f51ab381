// log softmax of each row: maximum, sum of exponentials, and one subtraction an element.
#include <algorithm>
#include <cmath>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  if (x.ndim != 2 || x.dtype != ASSAY_F32) return "float32 matrices only";
  const int64_t columns = x.shape[1], step = x.stride[1];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    const float* from = static_cast<const float*>(x.data) + row * x.stride[0];
    float largest = from[0];
    for (int64_t i = 1; i < columns; ++i) largest = std::max(largest, from[i * step]);
    double sum = 0.0;
    for (int64_t i = 0; i < columns; ++i) sum += std::exp(from[i * step] - largest);
    const double shift = largest + std::log(sum);
    for (int64_t i = 0; i < columns; ++i) *to++ = static_cast<float>(from[i * step] - shift);
  }
  return nullptr;
}
