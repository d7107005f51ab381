// Three by three, each channel for itself; weights are over three, the border is zero.
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &weight = inputs[1];
  if (x.ndim != 4 || x.dtype != ASSAY_F32) return "float32 images only";
  const int64_t height = x.shape[2], width = x.shape[3];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t image = 0; image < x.shape[0]; ++image)
    for (int64_t c = 0; c < x.shape[1]; ++c) {
      const float* from = static_cast<const float*>(x.data) + image * x.stride[0] + c * x.stride[1];
      const float* w = static_cast<const float*>(weight.data) + c * weight.stride[0];
      for (int64_t row = 0; row < height; ++row)
        for (int64_t i = 0; i < width; ++i) {
          float sum = 0.0f;
          for (int64_t down = -1; down <= 1; ++down)
            for (int64_t right = -1; right <= 1; ++right) {
              if (row + down < 0 || row + down >= height || i + right < 0 || i + right >= width)
                continue;
              sum += w[(down + 1) * weight.stride[2] + (right + 1) * weight.stride[3]] / 3.0f *
                     from[(row + down) * x.stride[2] + (i + right) * x.stride[3]];
            }
          *to++ = sum;
        }
    }
  return nullptr;
}
