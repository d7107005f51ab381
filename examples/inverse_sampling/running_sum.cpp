// The first running sum of shares that passes the draw, or 2 where none does.
#include <cmath>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t* ndim,
                                    int32_t*) {
  if (inputs[0].ndim != 2 || inputs[0].dtype != ASSAY_F32) return "float32 matrices only";
  *ndim = 1;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &shares = inputs[0], &draw = inputs[1];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < shares.shape[0]; ++row) {
    const float* from = static_cast<const float*>(shares.data) + row * shares.stride[0];
    const double wanted = 0.98 * static_cast<const float*>(draw.data)[row * draw.stride[0]];
    double sum = 0.0, found = INFINITY;
    for (int64_t i = 0; i < shares.shape[1]; ++i) {
      sum += from[i * shares.stride[1]];
      found = std::fmin(found, sum >= wanted ? sum : 2.0);
    }
    to[row] = static_cast<float>(found);
  }
  return nullptr;
}
