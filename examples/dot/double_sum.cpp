// The dot product; products of floats are exact in double precision.
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t* ndim,
                                    int32_t*) {
  if (inputs[0].ndim != 1 || inputs[0].dtype != ASSAY_F32) return "float32 vectors only";
  *ndim = 0;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &y = inputs[1];
  const float* a = static_cast<const float*>(x.data);
  const float* b = static_cast<const float*>(y.data);
  double sum = 0.0;
  for (int64_t i = 0; i < x.shape[0]; ++i)
    sum += static_cast<double>(a[i * x.stride[0]]) * b[i * y.stride[0]];
  *static_cast<float*>(outputs[0].data) = static_cast<float>(sum);
  return nullptr;
}
