// Each row moved three places to the right, the end coming first; also rows shorter than three.
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  if (x.ndim != 2 || x.dtype != ASSAY_F32) return "float32 matrices only";
  const int64_t columns = x.shape[1];
  const float* from = static_cast<const float*>(x.data);
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < x.shape[0]; ++row)
    for (int64_t i = 0; i < columns; ++i)
      to[row * columns + (i + 3) % columns] = from[row * x.stride[0] + i * x.stride[1]];
  return nullptr;
}
