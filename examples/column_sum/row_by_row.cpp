// Column sums, read row by row: one double a column, and memory is passed over in its own order.
#include <vector>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t* ndim,
                                    int32_t*) {
  if (inputs[0].ndim != 2 || inputs[0].dtype != ASSAY_F32) return "float32 matrices only";
  *ndim = 1;
  shape[0] = inputs[0].shape[1];  // the columns remain
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  const float* from = static_cast<const float*>(x.data);
  float* to = static_cast<float*>(outputs[0].data);
  std::vector<double> sums(x.shape[1], 0.0);
  for (int64_t row = 0; row < x.shape[0]; ++row)
    for (int64_t i = 0; i < x.shape[1]; ++i) sums[i] += from[row * x.stride[0] + i * x.stride[1]];
  for (int64_t i = 0; i < x.shape[1]; ++i) to[i] = static_cast<float>(sums[i]);
  return nullptr;
}
