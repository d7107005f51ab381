// h <- gate h + (1 - gate) x for each channel: the row of states is carried from place to place.
#include <vector>
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &gate = inputs[1];
  if (x.ndim != 3 || x.dtype != ASSAY_F32) return "float32 sequences only";
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t b = 0; b < x.shape[0]; ++b) {
    std::vector<float> state(x.shape[2], 0.0f);
    for (int64_t t = 0; t < x.shape[1]; ++t)
      for (int64_t i = 0; i < x.shape[2]; ++i) {
        const float v = static_cast<const float*>(
            x.data)[b * x.stride[0] + t * x.stride[1] + i * x.stride[2]];
        const float g = static_cast<const float*>(
            gate.data)[b * gate.stride[0] + t * gate.stride[1] + i * gate.stride[2]];
        *to++ = state[i] = g * state[i] + (1.0f - g) * v;
      }
  }
  return nullptr;
}
