import ctypes
import hashlib
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

_SRC = r"""
#include <math.h>
#include <stdint.h>
#include <string.h>
#include <thread>
#include <mutex>
#include <condition_variable>
#include <deque>
#include <functional>
#include <vector>
#include <unistd.h>
extern "C" {
void bmm(const float* A, const float* B, float* C, long b0, long b1, long M, long K, long N) {
  for (long b = b0; b < b1; ++b)
    for (long i = 0; i < M; ++i) {
      float* c = C + (b * M + i) * N;
      for (long j = 0; j < N; ++j) c[j] = 0.0f;
      for (long k = 0; k < K; ++k) {
        float a = A[(b * M + i) * K + k]; const float* u = B + (b * K + k) * N;
        for (long j = 0; j < N; ++j) c[j] += a * u[j];
      }
    }
}
struct Pool {
  std::mutex m; std::condition_variable work, idle; std::deque<std::function<void()>> q; int open = 0; bool stop = false;
  pid_t owner = getpid(); std::vector<std::thread> crew;
  Pool() { for (int i = 0; i < 2; ++i) crew.emplace_back([this] { loop(); }); }
  ~Pool() {
    { std::lock_guard<std::mutex> g(m); stop = true; }
    work.notify_all(); for (auto& t : crew) t.join();
  }
  void loop() {
    std::unique_lock<std::mutex> g(m);
    for (;;) {
      work.wait(g, [this] { return stop || !q.empty(); });
      if (q.empty()) return;
      auto f = std::move(q.front()); q.pop_front(); g.unlock(); f(); g.lock();
      if (--open == 0) idle.notify_all();
    }
  }
  void run(std::vector<std::function<void()>> fs) {
    std::unique_lock<std::mutex> g(m); open += (int)fs.size();
    for (auto& f : fs) q.push_back(std::move(f));
    work.notify_all(); idle.wait(g, [this] { return open == 0; });
  }
};
static Pool* pool = nullptr;
__attribute__((destructor)) static void close_pool() { if (pool && pool->owner == getpid()) delete pool; }
void bmm_pool(const float* A, const float* B, float* C, long nb, long M, long K, long N) {
  if (!pool || pool->owner != getpid()) pool = new Pool();
  std::vector<std::function<void()>> fs;
  for (long t = 0; t < 2; ++t) { long lo = nb * t / 2, hi = nb * (t + 1) / 2; fs.push_back([=] { bmm(A, B, C, lo, hi, M, K, N); }); }
  pool->run(std::move(fs));
}
}
"""


def _build():
    key = hashlib.sha256(_SRC.encode()).hexdigest()[:16]
    folder = os.path.join(tempfile.gettempdir(), "ckern_" + key)
    os.makedirs(folder, exist_ok=True)
    so = os.path.join(folder, "k.so")
    if not os.path.exists(so):
        cpp = os.path.join(folder, "k_%d.cpp" % os.getpid())
        tmp = os.path.join(folder, "k_%d.so" % os.getpid())
        with open(cpp, "w") as f:
            f.write(_SRC)
        subprocess.run(["g++", "-O3", "-std=c++17", "-pthread", "-shared", "-fPIC", "-o", tmp, cpp], check=True)
        os.replace(tmp, so)
    return ctypes.CDLL(so)


_lib = _build()
_L = ctypes.c_long
_F = ctypes.c_float


def _p(t):
    return ctypes.c_void_p(t.data_ptr())


def _f32(t):
    if t.dtype is not torch.float32:
        raise TypeError("float32 only")
    return t.contiguous()


def _out(A, B):
    return torch.empty((A.shape[0], A.shape[1], B.shape[2]), dtype=A.dtype)


def _launch(y, A, B):
    A, B = _f32(A), _f32(B)
    _lib.bmm(_p(A), _p(B), _p(y), _L(0), _L(A.shape[0]), _L(A.shape[1]), _L(A.shape[2]), _L(B.shape[2]))


def _kernel(*args):
    y = _out(*args)
    _launch(y, *args)
    return y


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, A, B):
        A, B = _f32(A), _f32(B)
        y = _out(A, B)
        _lib.bmm_pool(_p(A), _p(B), _p(y), _L(A.shape[0]), _L(A.shape[1]), _L(A.shape[2]), _L(B.shape[2]))
        return y
