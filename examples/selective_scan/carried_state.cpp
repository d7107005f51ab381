// h <- decay h + x into, y = h out: a few numbers of state for each channel, in double precision.
#include <vector>
#include "assay.h"

static float at(const assay_tensor& x, int64_t b, int64_t t, int64_t i) {
  const int64_t place = b * x.stride[0] + t * x.stride[1] + i * x.stride[2];
  return static_cast<const float*>(x.data)[place];
}

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &decay = inputs[1], &into = inputs[2], &out = inputs[3];
  if (x.ndim != 3 || x.dtype != ASSAY_F32) return "float32 sequences only";
  const int64_t channels = x.shape[2], size = into.shape[2];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t b = 0; b < x.shape[0]; ++b) {
    std::vector<double> state(channels * size, 0.0);
    for (int64_t t = 0; t < x.shape[1]; ++t)
      for (int64_t c = 0; c < channels; ++c) {
        const double keep = at(decay, b, t, c), v = at(x, b, t, c);
        double sum = 0.0;
        for (int64_t s = 0; s < size; ++s) {
          double& h = state[c * size + s];
          h = keep * h + v * at(into, b, t, s);
          sum += h * at(out, b, t, s);
        }
        *to++ = static_cast<float>(sum);
      }
  }
  return nullptr;
}
