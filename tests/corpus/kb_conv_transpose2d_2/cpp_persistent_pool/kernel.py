"""Gather form of the transposed convolution, on a small persistent thread pool.

The pool is created on the first call and kept, because starting threads for every call costs more than
the work.  Between calls the workers sleep on a condition variable; a call returns only after every job
of that call is finished (the `pending` counter is zero), so nothing runs outside a call.  After a fork
the child builds its own pool.
"""
import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_CODE = r"""
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
#include <unistd.h>

class Pool {
 public:
  explicit Pool(int n) : owner(getpid()) { for (int i = 0; i < n; ++i) crew.emplace_back([this, i] { loop(i); }); }
  ~Pool() {
    if (getpid() != owner) { for (auto& t : crew) t.detach(); return; }
    { std::lock_guard<std::mutex> g(m); quit = true; ++generation; }
    wake.notify_all();
    for (auto& t : crew) t.join();
  }
  void run(const std::function<void(int, int)>& f) {
    std::lock_guard<std::mutex> one_caller(callers);
    std::unique_lock<std::mutex> g(m);
    job = &f; pending = (int)crew.size(); ++generation;
    wake.notify_all();
    g.unlock();
    f((int)crew.size(), (int)crew.size() + 1);        // the caller works too
    g.lock();
    done.wait(g, [this] { return pending == 0; });
    job = nullptr;
  }
  const pid_t owner;
 private:
  void loop(int id) {
    long seen = 0;
    for (;;) {
      std::unique_lock<std::mutex> g(m);
      wake.wait(g, [&] { return generation != seen; });
      seen = generation;
      if (quit) return;
      const auto* f = job; const int parts = (int)crew.size() + 1;
      g.unlock();
      (*f)(id, parts);
      g.lock();
      if (--pending == 0) done.notify_one();
    }
  }
  std::vector<std::thread> crew;
  std::mutex m, callers; std::condition_variable wake, done;
  const std::function<void(int, int)>* job = nullptr;
  long generation = 0; int pending = 0; bool quit = false;
};

static Pool* pool() {
  static Pool* p = nullptr;
  static std::mutex guard;
  std::lock_guard<std::mutex> g(guard);
  if (!p || p->owner != getpid()) p = new Pool(1);
  return p;
}

extern "C" void deconv(const float* x, const float* w, const float* b, float* y,
                       long N, long C, long H, long W, long O, long K, long S, long P, long OH, long OW) {
  const long planes = N * O;
  pool()->run([=](int part, int parts) {
    for (long r = planes * part / parts; r < planes * (part + 1) / parts; ++r) {
      const long n = r / O, o = r % O;
      for (long oh = 0; oh < OH; ++oh) for (long ow = 0; ow < OW; ++ow) {
        float acc = b[o];
        for (long i = 0; i < K; ++i) {
          const long th = oh + P - i;
          if (th < 0 || th % S) continue;
          const long h = th / S;
          if (h >= H) continue;
          for (long j = 0; j < K; ++j) {
            const long tw = ow + P - j;
            if (tw < 0 || tw % S) continue;
            const long q = tw / S;
            if (q >= W) continue;
            for (long c = 0; c < C; ++c) acc += x[((n * C + c) * H + h) * W + q] * w[((c * O + o) * K + i) * K + j];
          }
        }
        y[(r * OH + oh) * OW + ow] = acc;
      }
    }
  });
}
"""


def _library():
    path = os.path.join(tempfile.gettempdir(), "deconv_pool_" + hashlib.sha256(_CODE.encode()).hexdigest()[:16] + ".so")
    if not os.path.exists(path):
        mine = path + f".{os.getpid()}"
        subprocess.run(["g++", "-std=c++17", "-O3", "-pthread", "-shared", "-fPIC", "-x", "c++", "-", "-o", mine], input=_CODE.encode(), check=True)
        os.replace(mine, path)
    return ctypes.CDLL(path)


_lib = _library()


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, stride=1, padding=0, output_padding=0):
        super().__init__()
        self.deconv = nn.ConvTranspose2d(
            in_channels, out_channels, kernel_size, stride=stride, padding=padding, output_padding=output_padding
        )

    def forward(self, x):
        d = self.deconv
        k, s, p, op = d.kernel_size[0], d.stride[0], d.padding[0], d.output_padding[0]
        x = x.contiguous()
        n, c, h, w = x.shape
        assert c == d.in_channels
        oh, ow = (h - 1) * s - 2 * p + k + op, (w - 1) * s - 2 * p + k + op
        y = torch.empty(n, d.out_channels, oh, ow)
        if y.numel() == 0:
            return y
        weight = d.weight.detach().contiguous()
        P, L = ctypes.c_void_p, ctypes.c_long
        _lib.deconv(
            P(x.data_ptr()), P(weight.data_ptr()), P(d.bias.data_ptr()), P(y.data_ptr()),
            L(n), L(c), L(h), L(w), L(d.out_channels), L(k), L(s), L(p), L(oh), L(ow),
        )
        return y
