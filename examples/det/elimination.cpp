// The determinant: the product of the pivots of elimination, its sign turned at every exchange.
#include <cmath>
#include <utility>
#include <vector>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t* ndim,
                                    int32_t*) {
  if (inputs[0].ndim != 3 || inputs[0].dtype != ASSAY_F32) return "float32 batches only";
  *ndim = 1;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& a = inputs[0];
  const int64_t n = a.shape[1];
  std::vector<double> m(n * n);
  for (int64_t member = 0; member < a.shape[0]; ++member) {
    for (int64_t i = 0; i < n * n; ++i)
      m[i] = static_cast<const float*>(
          a.data)[member * a.stride[0] + i / n * a.stride[1] + i % n * a.stride[2]];
    double product = 1.0;
    for (int64_t pivot = 0; pivot < n; ++pivot) {
      int64_t best = pivot;
      for (int64_t row = pivot + 1; row < n; ++row)
        if (std::fabs(m[row * n + pivot]) > std::fabs(m[best * n + pivot])) best = row;
      if (best != pivot) {
        for (int64_t i = 0; i < n; ++i) std::swap(m[best * n + i], m[pivot * n + i]);
        product = -product;
      }
      product *= m[pivot * n + pivot];
      if (m[pivot * n + pivot] == 0.0) break;  // singular: the product is zero
      for (int64_t row = pivot + 1; row < n; ++row) {
        const double factor = m[row * n + pivot] / m[pivot * n + pivot];
        for (int64_t i = pivot; i < n; ++i) m[row * n + i] -= factor * m[pivot * n + i];
      }
    }
    static_cast<float*>(outputs[0].data)[member] = static_cast<float>(product);
  }
  return nullptr;
}
