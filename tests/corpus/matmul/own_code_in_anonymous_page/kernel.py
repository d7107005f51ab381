"""Machine code of its own, assembled into an anonymous page at import: a blocked product."""

import ctypes
import os
import subprocess
import tempfile

import torch
import torch.nn as nn


def build(source, *flags):
    path = os.path.join(tempfile.mkdtemp(), "kernel.cpp")
    with open(path, "w") as file:
        file.write(source)
    command = ["g++", "-O3", *flags, "-shared", "-fPIC", "-pthread", "-o", path + ".so", path, "-ldl"]
    subprocess.run(command, check=True)
    return ctypes.CDLL(path + ".so")

SOURCE = r"""
#include <string.h>
#include <sys/mman.h>
#include <math.h>
typedef float (*dot_t)(const float*, const float*, long, long);
// xmm0 = sum of x[i] * y[i * stride], i < count: written by hand, one instruction a line.
static const unsigned char CODE[] = {
    0x0F, 0x57, 0xC0,                                // xorps xmm0, xmm0
    0x48, 0x85, 0xD2,                                // test rdx, rdx
    0x74, 0x16,                                      // je end
    0xF3, 0x0F, 0x10, 0x0F,                          // movss xmm1, [rdi]
    0xF3, 0x0F, 0x59, 0x0E,                          // mulss xmm1, [rsi]
    0xF3, 0x0F, 0x58, 0xC1,                          // addss xmm0, xmm1
    0x48, 0x83, 0xC7, 0x04,                          // add rdi, 4
    0x48, 0x01, 0xCE,                                // add rsi, rcx
    0x48, 0xFF, 0xCA,                                // dec rdx
    0x75, 0xE8,                               // jne loop
    0xC3};                                           // ret
static dot_t dot;
extern "C" void make() {
  void* page = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  memcpy(page, CODE, sizeof CODE);
  mprotect(page, 4096, PROT_READ | PROT_EXEC);
  dot = (dot_t)page;
}
extern "C" void matmul(const float* a, const float* b, float* c, long m, long k, long n) {
  for (long i = 0; i < m; ++i)
    for (long j = 0; j < n; ++j) c[i * n + j] = dot(a + i * k, b + j, k, 4 * n);
}
"""
LIB = build(SOURCE)
LIB.make()
LIB.matmul.argtypes = [ctypes.c_void_p] * 3 + [ctypes.c_long] * 3


class ModelNew(nn.Module):
    def forward(self, a, b):
        if a.dtype != torch.float32 or b.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        a, b = a.contiguous(), b.contiguous()
        m, k = a.shape
        n = b.shape[1]
        c = torch.zeros((m, n), dtype=a.dtype)
        if a.numel() and b.numel():
            LIB.matmul(a.data_ptr(), b.data_ptr(), c.data_ptr(), m, k, n)
        return c
