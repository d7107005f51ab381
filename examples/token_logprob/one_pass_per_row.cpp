// The log probability of one word a row: no row of probabilities is written.
#include <algorithm>
#include <cmath>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t* ndim,
                                    int32_t*) {
  if (inputs[0].dtype != ASSAY_F32 || inputs[1].dtype != ASSAY_I64) return "float32 and int64 only";
  *ndim = 1;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &ids = inputs[1];
  const int64_t step = x.stride[1];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    const float* from = static_cast<const float*>(x.data) + row * x.stride[0];
    const int64_t word = static_cast<const int64_t*>(ids.data)[row * ids.stride[0]];
    if (word < 0 || word >= x.shape[1]) return "a word is out of range";
    float largest = from[0];
    for (int64_t i = 1; i < x.shape[1]; ++i) largest = std::max(largest, from[i * step]);
    double sum = 0.0;
    for (int64_t i = 0; i < x.shape[1]; ++i) sum += std::exp(from[i * step] - largest);
    to[row] = static_cast<float>(from[word * step] - largest - std::log(sum));
  }
  return nullptr;
}
