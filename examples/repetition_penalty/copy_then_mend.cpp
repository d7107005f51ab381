// Scores of seen words divided by 1.2 where positive, else multiplied by it; each word once,
// however often it was seen, since the new score is made from the input.
#include "assay.h"

extern "C" const char* forward(const assay_tensor* inputs, int, assay_tensor* outputs, int) {
  const assay_tensor &x = inputs[0], &seen = inputs[1];
  if (x.dtype != ASSAY_F32 || seen.dtype != ASSAY_I64) return "float32 and int64 only";
  const int64_t words = x.shape[1];
  float* to = static_cast<float*>(outputs[0].data);
  for (int64_t row = 0; row < x.shape[0]; ++row, to += words) {
    const float* from = static_cast<const float*>(x.data) + row * x.stride[0];
    for (int64_t i = 0; i < words; ++i) to[i] = from[i * x.stride[1]];
    for (int64_t i = 0; i < seen.shape[1]; ++i) {
      const int64_t word =
          static_cast<const int64_t*>(seen.data)[row * seen.stride[0] + i * seen.stride[1]];
      if (word < 0 || word >= words) return "a word is out of range";
      const float score = from[word * x.stride[1]];
      to[word] = score > 0.0f ? score / 1.2f : score * 1.2f;
    }
  }
  return nullptr;
}
