# Works on ANY strides: nothing is copied, the kernel walks the tensors through stride arguments.
# Transposes are free: they only swap two numbers.
import ctypes as ct
import hashlib
import os
import subprocess as sp
import tempfile

import torch
import torch.nn as nn

SOURCE = """
#include <vector>
struct View { const float* p; long s0, s1; };
static void dot_rows(View a, View b, float* c, long i, long N, long K, double* tmp) {
  for (long j = 0; j < N; ++j) tmp[j] = 0.0;
  for (long k = 0; k < K; ++k) {
    const double v = a.p[i * a.s0 + k * a.s1];
    const float* q = b.p + k * b.s0;
    if (b.s1 == 1) for (long j = 0; j < N; ++j) tmp[j] += v * q[j];
    else           for (long j = 0; j < N; ++j) tmp[j] += v * q[j * b.s1];
  }
  for (long j = 0; j < N; ++j) c[i * N + j] = (float)tmp[j];
}
extern "C" void mm_view(View a, View b, float* c, long M, long N, long K) {
  std::vector<double> tmp(N > 0 ? N : 1);
  for (long i = 0; i < M; ++i) dot_rows(a, b, c, i, N, K, tmp.data());
}
"""


class View(ct.Structure):
    """Passed by value over the C boundary."""

    _fields_ = [("p", ct.c_void_p), ("s0", ct.c_long), ("s1", ct.c_long)]

    @classmethod
    def of(cls, t):
        return cls(t.data_ptr(), t.stride(0), t.stride(1))


def build(text):
    tag = hashlib.md5(text.encode()).hexdigest()
    path = os.path.join(tempfile.gettempdir(), f"mmview-{os.getuid()}-{tag}.so")
    if not os.path.isfile(path):
        fd, fresh = tempfile.mkstemp(suffix=".so")
        os.close(fd)
        sp.run(["g++", "-x", "c++", "-", "-O3", "-shared", "-fPIC", "-o", fresh], input=text.encode(), check=True)
        os.replace(fresh, path)  # atomic, so a second process never sees half a file
    dll = ct.CDLL(path)
    dll.mm_view.argtypes = (View, View, ct.c_void_p, ct.c_long, ct.c_long, ct.c_long)
    dll.mm_view.restype = None
    return dll


kernel = build(SOURCE)


class ModelNew(nn.Module):
    def __init__(self):
        super(ModelNew, self).__init__()

    @torch.no_grad()
    def forward(self, A, B):
        assert A.dtype == B.dtype == torch.float32 and A.dim() == B.dim() == 2
        left, right = A.t(), B.t()  # views
        assert left.shape[1] == right.shape[0], "shapes cannot be multiplied"
        out = A.new_empty((left.shape[0], right.shape[1]))
        kernel.mm_view(View.of(left), View.of(right), out.data_ptr(), out.shape[0], out.shape[1], left.shape[1])
        return out
