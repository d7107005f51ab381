import ctypes
import hashlib
import os
import subprocess
import tempfile
from dataclasses import dataclass, field

import torch
import torch.nn as nn


@dataclass(frozen=True)
class NativeModule:
    """A C++ text, the functions in it and where its binary goes."""

    text: str
    exports: tuple
    flags: tuple = ("-O3", "-std=c++17")
    handle: list = field(default_factory=list, compare=False)

    def __getitem__(self, name):
        if not self.handle:
            self.handle.append(self._open())
        fn = getattr(self.handle[0], name)
        fn.restype = None
        fn.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 2 + [ctypes.c_double]
        return fn

    def _open(self):
        digest = hashlib.sha256("\0".join((self.text, *self.flags)).encode()).hexdigest()
        so = os.path.join(tempfile.gettempdir(), f"ln_{digest[:24]}.so")
        if not os.path.exists(so):
            with tempfile.TemporaryDirectory(dir=tempfile.gettempdir()) as d:
                cpp = os.path.join(d, "a.cpp")
                with open(cpp, "w") as fh:
                    fh.write(self.text)
                subprocess.run(["g++", *self.flags, "-fPIC", "-shared", cpp, "-o", cpp + ".so"], check=True)
                os.replace(cpp + ".so", so)
        return ctypes.CDLL(so)


MODULE = NativeModule(
    text=r"""
#include <cmath>
template <typename T>
static void layer_norm(const T* x, const T* g, const T* b, T* y, long rows, long n, double eps) {
  for (long r = 0; r < rows; ++r) {
    const T* in = x + r * n; T* out = y + r * n;
    double mean = 0.0, m2 = 0.0;                          // Welford, one pass
    for (long i = 0; i < n; ++i) {
      const double v = in[i], d = v - mean;
      mean += d / double(i + 1);
      m2 += d * (v - mean);
    }
    const double rstd = 1.0 / std::sqrt(m2 / double(n) + eps);
    for (long i = 0; i < n; ++i) out[i] = T((double(in[i]) - mean) * rstd * double(g[i]) + double(b[i]));
  }
}
extern "C" void layer_norm_f32(const float* x, const float* g, const float* b, float* y, long r, long n, double e) { layer_norm(x, g, b, y, r, n, e); }
extern "C" void layer_norm_f64(const double* x, const double* g, const double* b, double* y, long r, long n, double e) { layer_norm(x, g, b, y, r, n, e); }
""",
    exports=("layer_norm_f32", "layer_norm_f64"),
)

_BY_DTYPE = {torch.float32: "layer_norm_f32", torch.float64: "layer_norm_f64"}


class ModelNew(nn.Module):
    def __init__(self, features):
        super().__init__()
        self.ln = nn.LayerNorm(features)

    def forward(self, x):
        n = self.ln.normalized_shape[0]
        if x.shape[-1] != n:
            raise RuntimeError(f"Given normalized_shape=[{n}], got input of size {list(x.shape)}")
        try:
            kernel = MODULE[_BY_DTYPE[x.dtype]]
        except KeyError:
            raise TypeError(f"no kernel for {x.dtype}") from None
        x = x.contiguous()
        g, b = (p.detach().to(x.dtype).contiguous() for p in (self.ln.weight, self.ln.bias))
        y = torch.empty_like(x)
        kernel(x.data_ptr(), g.data_ptr(), b.data_ptr(), y.data_ptr(), x.numel() // n, n, self.ln.eps)
        return y
