// Adagrad in one pass, the sum of squares and the parameters in place; returns the largest step.
#include <cmath>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t* ndim,
                                    int32_t*) {
  if (inputs[0].ndim != 1 || inputs[0].dtype != ASSAY_F32) return "float32 vectors only";
  *ndim = 0;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const auto at = [&](int input, int64_t i) -> float& {
    return static_cast<float*>(inputs[input].data)[i * inputs[input].stride[0]];
  };
  float largest = 0.0f;
  for (int64_t i = 0; i < inputs[0].shape[0]; ++i) {
    const float grad = at(1, i);
    float& total = at(2, i);
    total += grad * grad;
    const float step = 1e-2f * grad / (std::sqrt(total) + 1e-6f);
    at(0, i) -= step;
    if (std::fabs(step) > largest || step != step) largest = std::fabs(step);
  }
  *static_cast<float*>(outputs[0].data) = largest;
  return nullptr;
}
