// The lower triangular L for which L L^T is A, one column after the other, in double precision.
#include <cmath>
#include <vector>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& a = inputs[0];
  if (a.ndim != 3 || a.dtype != ASSAY_F32) return "batches of float32 matrices only";
  const int64_t n = a.shape[1];
  float* to = static_cast<float*>(outputs[0].data);
  std::vector<double> lower(n * n);
  for (int64_t member = 0; member < a.shape[0]; ++member, to += n * n) {
    const float* from = static_cast<const float*>(a.data) + member * a.stride[0];
    lower.assign(n * n, 0.0);
    for (int64_t column = 0; column < n; ++column)
      for (int64_t row = column; row < n; ++row) {
        double rest = from[row * a.stride[1] + column * a.stride[2]];
        for (int64_t k = 0; k < column; ++k) rest -= lower[row * n + k] * lower[column * n + k];
        if (row == column && !(rest > 0.0)) return "a matrix is not positive definite";
        lower[row * n + column] =
            row == column ? std::sqrt(rest) : rest / lower[column * n + column];
      }
    for (int64_t i = 0; i < n * n; ++i) to[i] = static_cast<float>(lower[i]);
  }
  return nullptr;
}
