"""Two threads of its own wait for work between calls and share the rows."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <algorithm>
#include <condition_variable>
#include <mutex>
#include <thread>
struct Work { const float *a, *b; float* c; long m, k, n; };
static std::mutex lock;
static std::condition_variable begin_word, done_word;
static Work work;
static long number = 0, left = 0;
static void rows(const Work& w, long part) {
  for (long i = part; i < w.m; i += 2) {
    float* row = w.c + i * w.n;
    std::fill(row, row + w.n, 0.0f);
    for (long p = 0; p < w.k; ++p)
      for (long j = 0; j < w.n; ++j) row[j] += w.a[i * w.k + p] * w.b[p * w.n + j];
  }
}
static void wait_for_work(long part) {
  for (long seen = 0;;) {
    std::unique_lock<std::mutex> held(lock);
    begin_word.wait(held, [&] { return number != seen; });
    seen = number;
    Work mine = work;
    held.unlock();
    rows(mine, part);
    held.lock();
    if (--left == 0) done_word.notify_one();
  }
}
extern "C" void matmul(const float* a, const float* b, float* c, long m, long k, long n) {
  static bool started = false;
  std::unique_lock<std::mutex> held(lock);
  if (!started)
    for (long part = 0; part < 2; ++part) std::thread(wait_for_work, part).detach();
  started = true;
  work = Work{a, b, c, m, k, n};
  left = 2;
  ++number;
  begin_word.notify_all();
  done_word.wait(held, [] { return left == 0; });
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ["-O3", "-march=native", "-shared", "-fPIC", "-pthread"]
    subprocess.run(["g++", *flags, "-o", path + ".so", path, "-ldl"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.matmul.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        a, b = a.contiguous(), b.contiguous()
        y = torch.empty((a.shape[0], b.shape[1]), dtype=a.dtype)
        LIB.matmul(a.data_ptr(), b.data_ptr(), y.data_ptr(), *a.shape, b.shape[1])
        return y
