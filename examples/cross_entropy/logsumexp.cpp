// The mean cross entropy: log of the sum of exponentials of each row, less the target's logit.
#include <algorithm>
#include <cmath>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t* ndim,
                                    int32_t*) {
  if (inputs[0].dtype != ASSAY_F32 || inputs[1].dtype != ASSAY_I64) return "float32 and int64 only";
  *ndim = 0;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &targets = inputs[1];
  const int64_t step = x.stride[1];
  double total = 0.0;
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    const float* from = static_cast<const float*>(x.data) + row * x.stride[0];
    const int64_t target = static_cast<const int64_t*>(targets.data)[row * targets.stride[0]];
    if (target < 0 || target >= x.shape[1]) return "a target is out of range";
    float largest = from[0];
    for (int64_t i = 1; i < x.shape[1]; ++i) largest = std::max(largest, from[i * step]);
    const double shift = std::isinf(largest) ? 0.0 : largest;
    double sum = 0.0;
    for (int64_t i = 0; i < x.shape[1]; ++i) sum += std::exp(from[i * step] - shift);
    total += std::log(sum) + shift - from[target * step];
  }
  *static_cast<float*>(outputs[0].data) = static_cast<float>(total / x.shape[0]);
  return nullptr;
}
