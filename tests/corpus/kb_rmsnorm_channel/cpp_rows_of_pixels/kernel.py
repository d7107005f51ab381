import ctypes, hashlib, os, subprocess, tempfile, threading
import torch
import torch.nn as nn

_src = r"""
#include <cmath>
#include <algorithm>
#include <atomic>
#include <thread>
extern "C" void rms_channel(const float* x, float* y, long N, long C, long P, float eps) {
  // tiles of 128 pixels; all channels of a tile stay in cache between the two passes
  const long T = 128, tiles = (P + T - 1) / T, jobs = N * tiles;
  std::atomic<long> ticket(0);
  auto work = [&]() {
    double acc[T]; float inv[T];
    for (;;) {
      const long j = ticket.fetch_add(1, std::memory_order_relaxed);
      if (j >= jobs) return;
      const long n = j / tiles, p0 = (j % tiles) * T, w = std::min(T, P - p0);
      const float* a = x + n * C * P + p0; float* b = y + n * C * P + p0;
      for (long p = 0; p < w; ++p) acc[p] = 0.0;
      for (long c = 0; c < C; ++c) for (long p = 0; p < w; ++p) { const float s = a[c * P + p] * a[c * P + p]; acc[p] += s; }
      for (long p = 0; p < w; ++p) inv[p] = std::sqrt((float)(acc[p] / (double)C) + eps);
      for (long c = 0; c < C; ++c) for (long p = 0; p < w; ++p) b[c * P + p] = a[c * P + p] / inv[p];
    }
  };
  std::thread t(work);
  work();
  t.join();
}
"""

_ready = threading.Event()
_state = {}


def _compile_in_background():
    try:
        so = os.path.join(tempfile.gettempdir(), "rmsch_" + hashlib.sha256(_src.encode()).hexdigest()[:16] + ".so")
        if not os.path.exists(so):
            part = so + ".%d" % os.getpid()
            subprocess.run(["g++", "-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", "-x", "c++", "-", "-o", part], input=_src.encode(), check=True)
            os.replace(part, so)
        _state["lib"] = ctypes.CDLL(so)
    except BaseException as e:  # handed to the thread that waits
        _state["error"] = e
    finally:
        _ready.set()


_compiler = threading.Thread(target=_compile_in_background, name="g++")
_compiler.start()


def _lib():
    _ready.wait()
    _compiler.join()
    if "error" in _state:
        raise RuntimeError("compilation failed") from _state["error"]
    return _state["lib"]


class ModelNew(nn.Module):
    def __init__(self, num_features, eps=1e-5):
        super().__init__()
        self.num_features = num_features
        self.eps = eps
        _lib()  # wait here, not in the first forward

    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        if x.numel():
            N, C = x.shape[0], x.shape[1]
            _lib().rms_channel(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()), ctypes.c_long(N), ctypes.c_long(C), ctypes.c_long(x.numel() // (N * C)), ctypes.c_float(self.eps))
        return y
