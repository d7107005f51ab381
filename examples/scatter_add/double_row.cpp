// Values added at numbers that may come several times: a row of doubles collects them, rounded once.
#include <vector>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &index = inputs[1], &values = inputs[2];
  if (x.dtype != ASSAY_F32 || index.dtype != ASSAY_I64) return "float32 and int64 only";
  const float* from = static_cast<const float*>(x.data);
  const int64_t* numbers = static_cast<const int64_t*>(index.data);
  const float* added = static_cast<const float*>(values.data);
  float* to = static_cast<float*>(outputs[0].data);
  std::vector<double> sums(x.shape[1]);
  for (int64_t row = 0; row < x.shape[0]; ++row) {
    for (int64_t i = 0; i < x.shape[1]; ++i) sums[i] = from[row * x.stride[0] + i * x.stride[1]];
    for (int64_t i = 0; i < index.shape[1]; ++i) {
      const int64_t column = numbers[row * index.stride[0] + i * index.stride[1]];
      if (column < 0 || column >= x.shape[1]) return "an index is out of range";
      sums[column] += added[row * values.stride[0] + i * values.stride[1]];
    }
    for (int64_t i = 0; i < x.shape[1]; ++i) *to++ = static_cast<float>(sums[i]);
  }
  return nullptr;
}
