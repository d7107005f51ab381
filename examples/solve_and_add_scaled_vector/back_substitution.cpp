// The x for which the upper triangle of A times x is b, from the last row up, plus 0.3 y.
#include <vector>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t* ndim,
                                    int32_t*) {
  if (inputs[0].ndim != 3 || inputs[0].dtype != ASSAY_F32) return "float32 batches only";
  *ndim = 2;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &a = inputs[0], &b = inputs[1], &y = inputs[2];
  const int64_t n = a.shape[1];
  float* to = static_cast<float*>(outputs[0].data);
  std::vector<double> x(n);
  for (int64_t member = 0; member < a.shape[0]; ++member) {
    const float* from = static_cast<const float*>(a.data) + member * a.stride[0];
    for (int64_t row = n - 1; row >= 0; --row) {
      const float* line = from + row * a.stride[1];
      double rest = static_cast<const float*>(b.data)[member * b.stride[0] + row * b.stride[1]];
      for (int64_t i = row + 1; i < n; ++i) rest -= line[i * a.stride[2]] * x[i];
      x[row] = rest / line[row * a.stride[2]];
    }
    for (int64_t i = 0; i < n; ++i)
      *to++ = static_cast<float>(
          x[i] + 0.3 * static_cast<const float*>(y.data)[member * y.stride[0] + i * y.stride[1]]);
  }
  return nullptr;
}
