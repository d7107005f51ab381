// 1.25 A B + 0.5 C: for each row of A, a row of sums that rows of B are added to.
#include <vector>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].ndim != 2 || inputs[0].dtype != ASSAY_F32) return "float32 matrices only";
  shape[1] = inputs[1].shape[1];
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &a = inputs[0], &b = inputs[1], &c = inputs[2];
  const int64_t inner = a.shape[1], columns = b.shape[1];
  float* out = static_cast<float*>(outputs[0].data);
#pragma omp parallel for
  for (int64_t row = 0; row < a.shape[0]; ++row) {
    std::vector<double> sums(columns, 0.0);
    for (int64_t k = 0; k < inner; ++k) {
      const double left =
          static_cast<const float*>(a.data)[row * a.stride[0] + k * a.stride[1]];
      const float* right = static_cast<const float*>(b.data) + k * b.stride[0];
      for (int64_t i = 0; i < columns; ++i) sums[i] += left * right[i * b.stride[1]];
    }
    const float* added = static_cast<const float*>(c.data) + row * c.stride[0];
    for (int64_t i = 0; i < columns; ++i)
      out[row * columns + i] = static_cast<float>(1.25 * sums[i] + 0.5 * added[i * c.stride[1]]);
  }
  return nullptr;
}
