// x times four-bit weights less the zero point of their block of 32, times its scale: the products
// of a block are summed first, so that a weight is never written out.
#include "assay.h"

template <typename T>
static T at(const assay_tensor& x, int64_t row, int64_t i) {
  return static_cast<const T*>(x.data)[row * x.stride[0] + i * x.stride[1]];
}

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].dtype != ASSAY_F32 || inputs[1].dtype != ASSAY_I64) return "float32 and int64 only";
  shape[1] = inputs[1].shape[0];
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &codes = inputs[1], &zero = inputs[2], &scale = inputs[3];
  const int64_t made = codes.shape[0];
  float* out = static_cast<float*>(outputs[0].data);
#pragma omp parallel for
  for (int64_t row = 0; row < x.shape[0]; ++row)
    for (int64_t k = 0; k < made; ++k) {
      double sum = 0.0;
      for (int64_t block = 0; block < zero.shape[1]; ++block) {
        const int64_t start = at<int64_t>(zero, k, block);
        double part = 0.0;
        for (int64_t i = 32 * block; i < 32 * (block + 1); ++i)
          part += static_cast<double>(at<float>(x, row, i)) * (at<int64_t>(codes, k, i) - start);
        sum += part * (at<float>(scale, k, block) / 16.0f);
      }
      out[row * made + k] = static_cast<float>(sum);
    }
  return nullptr;
}
