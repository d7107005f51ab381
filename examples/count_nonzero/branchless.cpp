// How many elements of each row are not zero; NaN is not zero, -0 is.
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t* ndim,
                                    int32_t* dtype) {
  if (inputs[0].ndim != 2 || inputs[0].dtype != ASSAY_F32) return "float32 matrices only";
  *ndim = 1;  // the rows remain
  *dtype = ASSAY_I64;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  const int64_t columns = x.shape[1], step = x.stride[1];
  int64_t* to = static_cast<int64_t*>(outputs[0].data);
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    const float* from = static_cast<const float*>(x.data) + row * x.stride[0];
    int64_t count = 0;
    for (int64_t i = 0; i < columns; ++i) count += from[i * step] != 0.0f;
    to[row] = count;
  }
  return nullptr;
}
