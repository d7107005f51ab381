"""A pool of two threads of its own that wait between calls; expf and tanhf in the loop."""

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

extern "C" void run(const float* x, float* y, long count) {
  const long step = 16384;
  pool().each((count + step - 1) / step, [=](long part) {
    const long end = std::min(count, (part + 1) * step);
    for (long i = part * step; i < end; ++i) {
      const float v = x[i];
      y[i] = v * tanhf(v > 20.0f ? v : log1pf(expf(v)));
    }
  });
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2', '-pthread']
    subprocess.run(["g++", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 2 + [ctypes.c_long] * 1


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        LIB.run(x.data_ptr(), y.data_ptr(), x.numel())
        return y
