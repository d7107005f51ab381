// A times a vector: one dot product a row, summed in double precision.
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t* ndim,
                                    int32_t*) {
  if (inputs[0].ndim != 2 || inputs[0].dtype != ASSAY_F32) return "float32 matrices only";
  *ndim = 1;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &a = inputs[0], &x = inputs[1];
  const float* matrix = static_cast<const float*>(a.data);
  const float* vector = static_cast<const float*>(x.data);
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < a.shape[0]; ++row) {
    double sum = 0.0;
    for (int64_t i = 0; i < a.shape[1]; ++i)
      sum += static_cast<double>(matrix[row * a.stride[0] + i * a.stride[1]]) *
             vector[i * x.stride[0]];
    to[row] = static_cast<float>(sum);
  }
  return nullptr;
}
