// Elements of each row by number; a number outside the row is an error, not a read elsewhere.
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].dtype != ASSAY_F32 || inputs[1].dtype != ASSAY_I64) return "float32 and int64 only";
  shape[0] = inputs[1].shape[0];
  shape[1] = inputs[1].shape[1];
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &index = inputs[1];
  const float* from = static_cast<const float*>(x.data);
  const int64_t* numbers = static_cast<const int64_t*>(index.data);
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < index.shape[0]; ++row)
    for (int64_t i = 0; i < index.shape[1]; ++i) {
      const int64_t column = numbers[row * index.stride[0] + i * index.stride[1]];
      if (column < 0 || column >= x.shape[1]) return "an index is out of range";
      *to++ = from[row * x.stride[0] + column * x.stride[1]];
    }
  return nullptr;
}
