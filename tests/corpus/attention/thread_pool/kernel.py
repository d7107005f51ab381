"""A pool of its own takes one head after the other from an atomic counter."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <cmath>
#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>
#include <unistd.h>
// Workers that wait between calls. Every call waits for all of them.
class Pool {
 public:
  explicit Pool(int count) {
    for (int i = 0; i < count; ++i) workers_.emplace_back([this] { work(); });
    for (auto& one : workers_) one.detach();
  }
  void each(long parts, const std::function<void(long)>& job) {
    std::unique_lock<std::mutex> hold(lock_);
    job_ = &job, parts_ = parts, next_ = 0, left_ = (int)workers_.size(), ++round_;
    wake_.notify_all();
    done_.wait(hold, [this] { return left_ == 0; });
  }
 private:
  void work() {
    long seen = 0;
    for (;;) {
      std::unique_lock<std::mutex> hold(lock_);
      wake_.wait(hold, [&] { return round_ != seen; });
      seen = round_;
      hold.unlock();
      for (long part; (part = next_++) < parts_;) (*job_)(part);
      hold.lock();
      if (--left_ == 0) done_.notify_one();
    }
  }
  std::vector<std::thread> workers_;
  std::mutex lock_;
  std::condition_variable wake_, done_;
  const std::function<void(long)>* job_ = nullptr;
  std::atomic<long> next_{0};
  long parts_ = 0, round_ = 0;
  int left_ = 0;
};
static Pool& pool() {  // a process that was forked has no workers yet
  static Pool* made = nullptr;
  static pid_t owner = 0;
  if (owner != getpid()) made = new Pool(2), owner = getpid();
  return *made;
}

extern "C" void run(const float* q, const float* k, const float* v, float* o, long heads, long length, long width) {
  pool().each(heads, [=](long head) {
    const long start = head * length * width;
    std::vector<float> score(length), sum(width);
    const float scale = 1.0f / std::sqrt((float)width);
    for (long i = 0; i < length; ++i) {
      float top = -INFINITY, total = 0;
      for (long j = 0; j <= i; ++j) {
        float s = 0;
        for (long d = 0; d < width; ++d) s += q[start + i * width + d] * k[start + j * width + d];
        score[j] = s * scale;
        if (score[j] > top || score[j] != score[j]) top = score[j];
      }
      for (long d = 0; d < width; ++d) sum[d] = 0;
      for (long j = 0; j <= i; ++j) {
        const float e = std::exp(score[j] - top);
        total += e;
        for (long d = 0; d < width; ++d) sum[d] += e * v[start + j * width + d];
      }
      for (long d = 0; d < width; ++d) o[start + i * width + d] = sum[d] / total;
    }
  });
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2', '-pthread', '-fno-math-errno']
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 4 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, q, k, v):
        if any(t.dtype != torch.float32 for t in (q, k, v)):
            raise TypeError("this kernel computes in float32 only")
        if q.shape != k.shape or q.shape != v.shape or q.dim() != 4:
            raise ValueError("queries, keys and values of one shape are needed")
        q, k, v = q.contiguous(), k.contiguous(), v.contiguous()
        o = torch.empty_like(q)
        LIB.run(q.data_ptr(), k.data_ptr(), v.data_ptr(), o.data_ptr(), q.shape[0] * q.shape[1], q.shape[2], q.shape[3])
        return o
