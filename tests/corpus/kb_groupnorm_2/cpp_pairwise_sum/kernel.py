import ctypes, hashlib, os, subprocess, tempfile
import torch
import torch.nn as nn

# Pairwise (tree) summation in float: error grows with log n. Recursion bottoms out at 64 elements.
SRC = r"""
#include <cmath>
struct Id { float operator()(float v) const { return v; } };
struct SqDev { float m; float operator()(float v) const { const float d = v - m; return d * d; } };
template <class F> static float pairwise(const float* p, long n, F f) {
  if (n <= 64) {
    float lane[8] = {0, 0, 0, 0, 0, 0, 0, 0};
    long i = 0;
    for (; i + 8 <= n; i += 8) for (int k = 0; k < 8; ++k) lane[k] += f(p[i + k]);
    for (; i < n; ++i) lane[i & 7] += f(p[i]);
    return ((lane[0] + lane[1]) + (lane[2] + lane[3])) + ((lane[4] + lane[5]) + (lane[6] + lane[7]));
  }
  const long h = n / 2 / 8 * 8;
  return pairwise(p, h, f) + pairwise(p + h, n - h, f);
}
extern "C" void group_norm(const float* x, const float* g, const float* b, float* y, long N, long C, long P, long G, float eps) {
  const long cg = C / G, len = cg * P;
  for (long n = 0; n < N; ++n) for (long k = 0; k < G; ++k) {
    const float* in = x + (n * G + k) * len; float* out = y + (n * G + k) * len;
    const float mean = pairwise(in, len, Id{}) / (float)len;
    const float var = pairwise(in, len, SqDev{mean}) / (float)len;
    const float rstd = 1.0f / std::sqrt(var + eps);
    for (long c = 0; c < cg; ++c) {
      const float ga = g[k * cg + c], be = b[k * cg + c];
      for (long p = 0; p < P; ++p) out[c * P + p] = (in[c * P + p] - mean) * rstd * ga + be;
    }
  }
}
"""


def compile_once(src, cxx="g++"):
    name = "gn_" + hashlib.sha256(src.encode()).hexdigest()[:16]
    cache = os.path.join(os.environ.get("XDG_RUNTIME_DIR") or tempfile.gettempdir(), "kernels")
    try:
        os.makedirs(cache, exist_ok=True)
    except OSError:  # a read-only place: use a private folder
        cache = tempfile.mkdtemp()
    so = os.path.join(cache, name + ".so")
    if not os.path.exists(so):
        tmp = os.path.join(cache, f"{name}.{os.getpid()}.so")
        subprocess.run([cxx, "-O3", "-std=c++17", "-shared", "-fPIC", "-x", "c++", "-", "-o", tmp], input=src, text=True, check=True)
        os.replace(tmp, so)
    return ctypes.CDLL(so)


lib = compile_once(SRC)


class ModelNew(nn.Module):
    def __init__(self, num_features, num_groups):
        super().__init__()
        self.gn = nn.GroupNorm(num_groups=num_groups, num_channels=num_features)

    def forward(self, x):
        gn = self.gn
        if x.dim() < 2 or x.shape[1] != gn.num_channels:
            raise RuntimeError(f"Expected {gn.num_channels} channels")
        x = x.contiguous()
        y = torch.empty_like(x)
        n, c = x.shape[:2]
        p = 1
        for s in x.shape[2:]:
            p *= s
        if y.numel():
            lib.group_norm(
                ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(gn.weight.data_ptr()), ctypes.c_void_p(gn.bias.data_ptr()),
                ctypes.c_void_p(y.data_ptr()), ctypes.c_long(n), ctypes.c_long(c), ctypes.c_long(p),
                ctypes.c_long(gn.num_groups), ctypes.c_float(gn.eps),
            )
        return y
