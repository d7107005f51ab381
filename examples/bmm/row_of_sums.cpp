// A product for each member of a batch; a row of double sums for each row of A.
#include <vector>
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].ndim != 3 || inputs[0].dtype != ASSAY_F32) return "float32 batches only";
  shape[2] = inputs[1].shape[2];
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &a = inputs[0], &b = inputs[1];
  const int64_t rows = a.shape[1], inner = a.shape[2], columns = b.shape[2];
  float* out = static_cast<float*>(outputs[0].data);
#pragma omp parallel for collapse(2)
  for (int64_t member = 0; member < a.shape[0]; ++member)
    for (int64_t row = 0; row < rows; ++row) {
      std::vector<double> sums(columns, 0.0);
      for (int64_t k = 0; k < inner; ++k) {
        const double left = static_cast<const float*>(
            a.data)[member * a.stride[0] + row * a.stride[1] + k * a.stride[2]];
        const float* right =
            static_cast<const float*>(b.data) + member * b.stride[0] + k * b.stride[1];
        for (int64_t i = 0; i < columns; ++i) sums[i] += left * right[i * b.stride[2]];
      }
      float* to = out + (member * rows + row) * columns;
      for (int64_t i = 0; i < columns; ++i) to[i] = static_cast<float>(sums[i]);
    }
  return nullptr;
}
