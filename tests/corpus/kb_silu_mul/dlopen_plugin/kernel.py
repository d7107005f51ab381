"""A library of its own opens a second one that it built, with dlopen and dlsym."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn

PLUGIN = r"""
#include <math.h>
float gate_of(float v) { return v / (1.0f + expf(-v)); }
void gated(const float* a, const float* b, float* y, long count) {
  for (long i = 0; i < count; ++i) y[i] = gate_of(a[i]) * b[i];
}
"""
HOST = r"""
#include <dlfcn.h>
typedef void Gated(const float*, const float*, float*, long);
static Gated* gated;
int open_plugin(const char* path) {
  void* handle = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  if (handle) gated = (Gated*)dlsym(handle, "gated");
  return gated != 0;
}
void run(const float* a, const float* b, float* y, long count) { gated(a, b, y, count); }
"""
FOLDER = tempfile.mkdtemp()


def build(name, source, *libraries):
    path = os.path.join(FOLDER, name)
    with open(path + ".c", "w") as file:
        file.write(source)
    subprocess.run(["gcc", "-O2", "-shared", "-fPIC", "-o", path + ".so", path + ".c", *libraries], check=True)
    return path + ".so"


LIB = ctypes.CDLL(build("host", HOST, "-ldl"))
if not LIB.open_plugin(build("plugin", PLUGIN, "-lm").encode()):
    raise OSError("the plug-in does not load")
LIB.run.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long]


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        if b.shape != a.shape:
            raise ValueError("shapes differ")
        a, b = a.contiguous(), b.contiguous()
        y = torch.empty_like(a)
        LIB.run(a.data_ptr(), b.data_ptr(), y.data_ptr(), a.numel())
        return y
