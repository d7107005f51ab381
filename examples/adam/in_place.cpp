// Adam in one pass: both moments and the parameters in place; the largest step is returned.
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
    float &first = at(2, i), &second = at(3, i);
    first = 0.9f * first + 0.1f * grad;
    second = 0.99f * second + 0.01f * grad * grad;
    const float step = 1e-2f * first / (std::sqrt(second) + 1e-8f);
    at(0, i) -= step;
    if (std::fabs(step) > largest || step != step) largest = std::fabs(step);
  }
  *static_cast<float*>(outputs[0].data) = largest;
  return nullptr;
}
