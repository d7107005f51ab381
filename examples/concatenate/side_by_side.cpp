// Two matrices side by side, row by row.
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].ndim != 2 || inputs[0].dtype != ASSAY_F32) return "float32 matrices only";
  shape[1] = inputs[0].shape[1] + inputs[1].shape[1];
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < inputs[0].shape[0]; ++row)
    for (int side = 0; side < 2; ++side) {
      const assay_tensor& x = inputs[side];
      const float* from = static_cast<const float*>(x.data) + row * x.stride[0];
      for (int64_t i = 0; i < x.shape[1]; ++i) *to++ = from[i * x.stride[1]];
    }
  return nullptr;
}
