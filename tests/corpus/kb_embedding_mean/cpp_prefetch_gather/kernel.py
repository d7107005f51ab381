import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <cstdint>
#include <thread>
#include <atomic>
#include <vector>
template <typename I>
static int bag(const float* table, const I* tok, float* out, long B, long S, long V, long D, float scale) {
  std::atomic<int> bad{0};
  auto rows = [&](long lo, long hi) {
    std::vector<double> acc(D);
    for (long b = lo; b < hi; ++b) {
      for (long d = 0; d < D; ++d) acc[d] = 0;
      for (long s = 0; s < S; ++s) {
        const long t = (long)tok[b * S + s];
        if (t < 0 || t >= V) { bad = 1; return; }
        if (s + 1 < S) { const long u = (long)tok[b * S + s + 1]; if (u >= 0 && u < V) __builtin_prefetch(table + u * D); }
        const float* e = table + t * D;
        for (long d = 0; d < D; ++d) acc[d] += e[d];
      }
      for (long d = 0; d < D; ++d) out[b * D + d] = (float)(acc[d] / (double)S) * scale;
    }
  };
  std::thread t(rows, B / 2, B);
  rows(0, B / 2);
  t.join();
  return bad;
}
extern "C" int bag_i64(const float* w, const int64_t* t, float* o, long B, long S, long V, long D, float c) { return bag(w, t, o, B, S, V, D, c); }
extern "C" int bag_i32(const float* w, const int32_t* t, float* o, long B, long S, long V, long D, float c) { return bag(w, t, o, B, S, V, D, c); }
"""


def _so():
    root = os.path.join(tempfile.gettempdir(), "bag-" + hashlib.sha256(_SRC.encode()).hexdigest()[:16])
    os.makedirs(root, mode=0o700, exist_ok=True)
    final = os.path.join(root, "bag.so")
    if not os.path.exists(final):
        src = os.path.join(root, f"{os.getpid()}.cpp")
        open(src, "w").write(_SRC)
        subprocess.run(["g++", "-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", "-o", src + ".so", src], check=True)
        os.replace(src + ".so", final)
        os.remove(src)
    return final


_lib = ctypes.CDLL(_so())
_SYMBOL = {torch.int64: _lib.bag_i64, torch.int32: _lib.bag_i32}


class ModelNew(nn.Module):
    def __init__(self, vocab, dim, scale):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.scale = scale

    def forward(self, tokens):
        if tokens.dim() != 2 or tokens.dtype not in _SYMBOL:
            raise TypeError("(batch, seq) of int32 or int64 expected")
        tok = tokens.contiguous()
        w = self.emb.weight.detach().contiguous()
        V, D = w.shape
        B, S = tok.shape
        out = torch.empty(B, D)
        p, n = ctypes.c_void_p, ctypes.c_long
        status = _SYMBOL[tok.dtype](p(w.data_ptr()), p(tok.data_ptr()), p(out.data_ptr()), n(B), n(S), n(V), n(D), ctypes.c_float(self.scale))
        if status:
            raise IndexError("index out of range in self")
        return out
