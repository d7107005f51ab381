"""Three loop orders of the same direct convolution; the fastest for a shape is found by timing on the
first call with that shape and its NAME is remembered.  The winner then computes the answer as usual."""
import ctypes
import hashlib
import os
import subprocess
import tempfile
import time

import torch
import torch.nn as nn

TEMPLATE = r"""
extern "C" void @NAME@(const float* x, const float* w, const float* b, float* y, long B, long C, long O, long H, long W) {
  for (long n = 0; n < B; ++n) for (long o = 0; o < O; ++o) {
    float* out = y + (n * O + o) * H * W;
    for (long p = 0; p < H * W; ++p) out[p] = b[o];
    @LOOP1@ @LOOP2@ @LOOP3@ {
      const float s = w[((o * C + c) * 3 + i) * 3 + j];
      const float* in = x + (n * C + c) * H * W;
      const long h0 = i == 0 ? 1 : 0, h1 = i == 2 ? H - 1 : H, q0 = j == 0 ? 1 : 0, q1 = j == 2 ? W - 1 : W;
      for (long h = h0; h < h1; ++h) { const float* r = in + (h + i - 1) * W + (j - 1); float* d = out + h * W;
        for (long q = q0; q < q1; ++q) d[q] += s * r[q]; }
    }
  }
}
"""
LOOPS = {
    "c": "for (long c = 0; c < C; ++c)",
    "i": "for (long i = 0; i < 3; ++i)",
    "j": "for (long j = 0; j < 3; ++j)",
}


def render(order):
    code = TEMPLATE.replace("@NAME@", "conv_" + order)
    for slot, letter in zip(("@LOOP1@", "@LOOP2@", "@LOOP3@"), order):
        code = code.replace(slot, LOOPS[letter])
    return code


VARIANTS = ("cij", "ijc", "icj")
_source = "\n".join(render(v) for v in VARIANTS)
_so = os.path.join(tempfile.gettempdir(), "convtune_%s.so" % hashlib.sha256(_source.encode()).hexdigest()[:10])
if not os.path.exists(_so):
    _mine = "%s.%d" % (_so, os.getpid())
    subprocess.run(["g++", "-x", "c++", "-O3", "-shared", "-fPIC", "-o", _mine, "-"], input=_source, text=True, check=True)
    os.rename(_mine, _so)
_handle = ctypes.CDLL(_so)


class ModelNew(nn.Module):
    _choice = {}  # shape -> name of the fastest variant

    def __init__(self, in_channels, out_channels):
        super().__init__()
        self.conv2d = nn.Conv2d(in_channels, out_channels, 3, padding=1)

    @staticmethod
    def _launch(name, tensors, sizes):
        fn = getattr(_handle, "conv_" + name)
        fn(*[ctypes.c_void_p(t.data_ptr()) for t in tensors], *[ctypes.c_long(s) for s in sizes])

    def _pick(self, key, tensors, sizes):
        if key not in self._choice:
            timings = {}
            for name in VARIANTS:
                self._launch(name, tensors, sizes)
                start = time.perf_counter()
                self._launch(name, tensors, sizes)
                timings[name] = time.perf_counter() - start
            self._choice[key] = min(timings, key=timings.get)
        return self._choice[key]

    def forward(self, x):
        w, b = self.conv2d.weight.detach().contiguous(), self.conv2d.bias.detach()
        if x.shape[1] != w.shape[1]:
            raise RuntimeError("channel mismatch")
        x = x.contiguous()
        B, C, H, W = x.shape
        y = torch.empty(B, w.shape[0], H, W, dtype=torch.float32)
        sizes = (B, C, w.shape[0], H, W)
        tensors = (x, w, b, y)
        self._launch(self._pick(sizes, tensors, sizes), tensors, sizes)
        return y
