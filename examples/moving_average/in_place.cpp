// The parameters moved by a hundredth towards others, in place; their mean, summed in double.
#include "assay.h"

extern "C" const char* output_shape(const assay_tensor* inputs, int, int64_t*, int32_t* ndim,
                                    int32_t*) {
  if (inputs[0].ndim != 1 || inputs[0].dtype != ASSAY_F32) return "float32 vectors only";
  *ndim = 0;
  return nullptr;
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &param = inputs[0], &other = inputs[1];
  float* kept = static_cast<float*>(param.data);
  const float* target = static_cast<const float*>(other.data);
  double sum = 0.0;
  for (int64_t i = 0; i < param.shape[0]; ++i) {
    float& p = kept[i * param.stride[0]];
    p += 0.01f * (target[i * other.stride[0]] - p);
    sum += p;
  }
  *static_cast<float*>(outputs[0].data) = static_cast<float>(sum / param.shape[0]);
  return nullptr;
}
