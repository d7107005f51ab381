"""Softmax as flat bytes in anonymous executable pages, with its own exponential."""

import ctypes
import mmap
import os
import platform
import subprocess
import tempfile

import torch
import torch.nn as nn

SOURCE = r"""
static inline float power_of_two(int k) { union { int i; float f; } u; u.i = (k + 127) << 23; return u.f; }
// exp by Cody and Waite's reduction and a polynomial of degree six; NaN stays NaN.
static inline float exponential(float x) {
  if (x != x) return x;
  if (x > 88.72284f) return __builtin_inff();
  if (x < -104.0f) return 0.0f;
  float k = x * 1.44269504f;
  k = (float)(int)(k + (k < 0 ? -0.5f : 0.5f));
  const float r = (x - k * 0.693359375f) + k * 2.12194440e-4f;
  float p = 1.9875691500e-4f;
  p = p * r + 1.3981999507e-3f;
  p = p * r + 8.3334519073e-3f;
  p = p * r + 4.1665795894e-2f;
  p = p * r + 1.6666665459e-1f;
  p = p * r + 5.0000001201e-1f;
  const float e = p * r * r + r + 1.0f;
  const int n = (int)k, half = n / 2;
  return e * power_of_two(half) * power_of_two(n - half);
}

__attribute__((section(".entry"))) void run(const float* x, float* y, long rows, long n) {
  for (long r = 0; r < rows; ++r, x += n, y += n) {
    float top = n ? x[0] : 0, sum = 0;
    for (long i = 1; i < n; ++i) if (x[i] > top || x[i] != x[i]) top = x[i];
    for (long i = 0; i < n; ++i) sum += y[i] = exponential(x[i] - top);
    for (long i = 0; i < n; ++i) y[i] /= sum;
  }
}
"""


def image(source):
    """The linked code as flat bytes, constants behind it; its entry is the first byte."""
    folder = tempfile.mkdtemp()
    path = os.path.join(folder, "kernel")
    with open(path + ".c", "w") as file:
        file.write(source)
    flags = ["-O2", "-fPIC", "-ffreestanding", "-fno-asynchronous-unwind-tables", "-fno-stack-protector", "-fcf-protection=none"]
    if platform.machine() == "aarch64":
        flags = [f for f in flags if not f.startswith("-fcf")]
    subprocess.run(["gcc", *flags, "-c", "-o", path + ".o", path + ".c"], check=True)
    script = path + ".ld"
    with open(script, "w") as file:
        file.write("SECTIONS { . = 0; .text : { *(.entry) *(.text*) *(.rodata*) *(.data*) } /DISCARD/ : { *(.note*) *(.comment) *(.eh_frame*) } }")
    subprocess.run(["ld", "-T", script, "--oformat", "binary", "-o", path, path + ".o"], check=True)
    with open(path, "rb") as file:
        return file.read()


CODE = image(SOURCE)
PAGES = mmap.mmap(-1, len(CODE) + mmap.PAGESIZE, prot=mmap.PROT_READ | mmap.PROT_WRITE | mmap.PROT_EXEC)
PAGES.write(CODE)
PLACE = ctypes.addressof(ctypes.c_char.from_buffer(PAGES))
if platform.machine() == "aarch64":
    ctypes.CDLL("libgcc_s.so.1").__clear_cache(ctypes.c_void_p(PLACE), ctypes.c_void_p(PLACE + len(CODE)))
RUN = ctypes.CFUNCTYPE(None, *[ctypes.c_void_p] * 2, *[ctypes.c_long] * 2)(PLACE)


class ModelNew(nn.Module):
    def forward(self, x):
        if x.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = x.contiguous()
        y = torch.empty_like(x)
        columns = x.shape[-1]
        RUN(x.data_ptr(), y.data_ptr(), x.numel() // max(1, columns), columns)
        return y
