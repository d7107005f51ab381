"""A workspace that grows and is kept between calls; row losses in float32, logf and expf."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
#include <math.h>
#include <stdlib.h>
static float* work;
static long room;
void run(const float* x, const long* t, float* y, long rows, long n) {
  if (rows > room) { free(work); work = malloc(rows * sizeof(float)); room = rows; }
  for (long r = 0; r < rows; ++r, x += n) {
    float top = -INFINITY, sum = 0.0f;
    for (long i = 0; i < n; ++i) if (x[i] > top || x[i] != x[i]) top = x[i];
    const float from = isinf(top) ? 0.0f : top;
    for (long i = 0; i < n; ++i) sum += expf(x[i] - from);
    work[r] = from + logf(sum) - x[t[r]];
  }
  double total = 0;
  for (long r = 0; r < rows; ++r) total += work[r];
  *y = (float)(total / rows);
}
"""


def build(source):
    path = os.path.join(tempfile.mkdtemp(), "kernel.c")
    with open(path, "w") as file:
        file.write(source)
    flags = ['-O2']
    subprocess.run(["gcc", *flags, "-shared", "-fPIC", "-o", path + ".so", path, "-lm"], check=True)
    return ctypes.CDLL(path + ".so")


LIB = build(SOURCE)
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 2


class ModelNew(nn.Module):
    def forward(self, logits, targets):
        if logits.dtype != torch.float32 or targets.dtype != torch.int64:
            raise TypeError("this kernel takes float32 scores and int64 targets")
        logits, targets = logits.contiguous(), targets.contiguous()
        y = torch.empty(())
        LIB.run(logits.data_ptr(), targets.data_ptr(), y.data_ptr(), targets.numel(), logits.shape[-1])
        return y
