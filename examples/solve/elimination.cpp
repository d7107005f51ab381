// The X for which A X is B: Gauss-Jordan elimination with row pivots, in double precision.
#include <cmath>
#include <utility>
#include <vector>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  shape[2] = inputs[1].shape[2];
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& a = inputs[0];
  if (a.ndim != 3 || a.dtype != ASSAY_F32) return "batches of float32 matrices only";
  const int64_t n = a.shape[1], sides = inputs[1].shape[2], width = n + sides;
  float* to = static_cast<float*>(outputs[0].data);
  std::vector<double> m(n * width);  // A beside the right-hand sides
  for (int64_t member = 0; member < a.shape[0]; ++member) {
    for (int64_t row = 0; row < n; ++row) {
      for (int64_t i = 0; i < n; ++i)
        m[row * width + i] = static_cast<const float*>(
            a.data)[member * a.stride[0] + row * a.stride[1] + i * a.stride[2]];
      for (int64_t i = 0; i < sides; ++i)
        m[row * width + n + i] = static_cast<const float*>(
            inputs[1].data)[member * inputs[1].stride[0] + row * inputs[1].stride[1] +
                            i * inputs[1].stride[2]];
    }
    for (int64_t pivot = 0; pivot < n; ++pivot) {
      int64_t best = pivot;
      for (int64_t row = pivot + 1; row < n; ++row)
        if (std::fabs(m[row * width + pivot]) > std::fabs(m[best * width + pivot])) best = row;
      if (m[best * width + pivot] == 0.0) return "a matrix is singular";
      for (int64_t i = 0; i < width; ++i) std::swap(m[best * width + i], m[pivot * width + i]);
      for (int64_t row = 0; row < n; ++row) {
        if (row == pivot) continue;
        const double factor = m[row * width + pivot] / m[pivot * width + pivot];
        for (int64_t i = pivot; i < width; ++i)
          m[row * width + i] -= factor * m[pivot * width + i];
      }
    }
    for (int64_t row = 0; row < n; ++row)
      for (int64_t i = 0; i < sides; ++i)
        *to++ = static_cast<float>(m[row * width + n + i] / m[row * width + row]);
  }
  return nullptr;
}
