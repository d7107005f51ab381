// The outer product of two vectors, plus C.
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t* ndim,
                                    int32_t*) {
  if (inputs[0].ndim != 1 || inputs[0].dtype != ASSAY_F32) return "float32 vectors only";
  *ndim = 2;
  shape[1] = inputs[1].shape[0];
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &a = inputs[0], &b = inputs[1], &c = inputs[2];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < a.shape[0]; ++row) {
    const float left = static_cast<const float*>(a.data)[row * a.stride[0]];
    const float* added = static_cast<const float*>(c.data) + row * c.stride[0];
    for (int64_t i = 0; i < b.shape[0]; ++i)
      *to++ = left * static_cast<const float*>(b.data)[i * b.stride[0]] + added[i * c.stride[1]];
  }
  return nullptr;
}
