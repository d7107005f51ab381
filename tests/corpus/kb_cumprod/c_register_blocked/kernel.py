import ctypes
import os
import subprocess
import tempfile
import torch
import torch.nn as nn

# The recurrence is sequential along `dim`, so we run 8 independent lines side by side.
code = """
void cumprod(const float *x, float *y, long outer, long n, long inner) {
  for (long o = 0; o < outer; o++) {
    if (inner == 1) {            /* neighbours are n apart: take 8 rows at once */
      if (o %% %(LANES)d) continue;
      long rows = outer - o < %(LANES)d ? outer - o : %(LANES)d;
      double acc[%(LANES)d];
      for (long r = 0; r < rows; r++) acc[r] = 1.0;
      for (long k = 0; k < n; k++)
        for (long r = 0; r < rows; r++) { acc[r] *= x[(o + r) * n + k]; y[(o + r) * n + k] = (float)acc[r]; }
    } else {
      for (long i0 = 0; i0 < inner; i0 += %(LANES)d) {
        long w = inner - i0 < %(LANES)d ? inner - i0 : %(LANES)d;
        double acc[%(LANES)d];
        for (long i = 0; i < w; i++) acc[i] = 1.0;
        for (long k = 0; k < n; k++) {
          long at = (o * n + k) * inner + i0;
          for (long i = 0; i < w; i++) { acc[i] *= x[at + i]; y[at + i] = (float)acc[i]; }
        }
      }
    }
  }
}
""" % {"LANES": 8}

lib = None


def get_lib():
    global lib
    if lib is None:
        fd, name = tempfile.mkstemp(suffix=".c")
        with os.fdopen(fd, "w") as f:
            f.write(code)
        os.system  # not used: subprocess gives us the exit status
        subprocess.run(["gcc", "-O2", "-shared", "-fPIC", name, "-o", name[:-2] + ".so"], check=True)
        lib = ctypes.CDLL(name[:-2] + ".so")
        os.remove(name)
    return lib


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    def forward(self, x):
        assert x.dtype == torch.float32
        x = x.contiguous()
        y = torch.empty_like(x)
        d = self.dim if self.dim >= 0 else self.dim + x.dim()
        outer, inner = 1, 1
        for i, s in enumerate(x.shape):
            if i < d:
                outer *= s
            elif i > d:
                inner *= s
        if x.numel():
            get_lib().cumprod(ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(y.data_ptr()),
                              ctypes.c_long(outer), ctypes.c_long(x.shape[d]), ctypes.c_long(inner))
        return y
