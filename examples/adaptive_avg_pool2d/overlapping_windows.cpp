// Five by five means: window i of n places runs from floor(i n / 5) to ceil((i + 1) n / 5).
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t* shape, int32_t*,
                                    int32_t*) {
  if (inputs[0].ndim != 4 || inputs[0].dtype != ASSAY_F32) return "float32 images only";
  shape[2] = shape[3] = 5;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor& x = inputs[0];
  const int64_t height = x.shape[2], width = x.shape[3];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t image = 0; image < x.shape[0]; ++image)
    for (int64_t channel = 0; channel < x.shape[1]; ++channel) {
      const float* from =
          static_cast<const float*>(x.data) + image * x.stride[0] + channel * x.stride[1];
      for (int64_t row = 0; row < 5; ++row)
        for (int64_t column = 0; column < 5; ++column) {
          const int64_t top = row * height / 5, bottom = ((row + 1) * height + 4) / 5;
          const int64_t left = column * width / 5, right = ((column + 1) * width + 4) / 5;
          double sum = 0.0;
          for (int64_t r = top; r < bottom; ++r)
            for (int64_t c = left; c < right; ++c) sum += from[r * x.stride[2] + c * x.stride[3]];
          *to++ = static_cast<float>(sum / ((bottom - top) * (right - left)));
        }
    }
  return nullptr;
}
