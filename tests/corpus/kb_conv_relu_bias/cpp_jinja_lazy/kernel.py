"""Conv2d + ReLU + bias in one pass.  The C++ is rendered for the kernel size by a ten-line template engine and
compiled on the first forward."""
import ctypes
import re
import subprocess
import tempfile
from functools import cached_property
from pathlib import Path

import torch
import torch.nn as nn

TEMPLATE = """
extern "C" void conv_relu_bias(const float* x, const float* w, const float* cb, const float* pb, float* y,
                               long B, long C, long H, long W, long O, long OH, long OW) {
  for (long n = 0; n < B; ++n) for (long o = 0; o < O; ++o) for (long h = 0; h < OH; ++h) {
    float* out = y + ((n * O + o) * OH + h) * OW;
    for (long q = 0; q < OW; ++q) out[q] = cb[o];
    for (long c = 0; c < C; ++c) {
      const float* in = x + ((n * C + c) * H + h) * W;
      const float* k = w + (o * C + c) * {{ kh * kw }};
      for (long q = 0; q < OW; ++q)
        out[q] += {% for i, j in taps %}k[{{ i * kw + j }}] * in[{{ i }} * W + q + {{ j }}]{% join + %};
    }
    for (long q = 0; q < OW; ++q) { const float v = out[q]; out[q] = (v < 0.f ? 0.f : v) + pb[o]; }
  }
}
"""


def _value(expr, names):
    """Products and sums of names, no more: the template is a constant of this file."""
    total = 0
    for term in expr.split("+"):
        prod = 1
        for atom in term.split("*"):
            atom = atom.strip()
            prod *= names[atom] if atom in names else int(atom)
        total += prod
    return str(total)


def render(kh, kw):
    head, loop, glue, tail = re.match(r"(.*){% for i, j in taps %}(.*){% join (.) %}(.*)", TEMPLATE, re.S).groups()
    fill = lambda text, **names: re.sub(r"{{(.*?)}}", lambda m: _value(m.group(1), names), text)  # noqa: E731
    taps = f" {glue} ".join(fill(loop, i=i, j=j, kh=kh, kw=kw) for i in range(kh) for j in range(kw))
    return fill(head, kh=kh, kw=kw) + taps + fill(tail, kh=kh, kw=kw)


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size, bias_shape):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.bias = nn.Parameter(torch.randn(bias_shape))

    @cached_property
    def _fn(self):
        self._home = tempfile.TemporaryDirectory()
        so = Path(self._home.name) / "k.so"
        subprocess.run(["g++", "-O3", "-shared", "-fPIC", "-x", "c++", "-", "-o", str(so)], input=render(*self.conv.kernel_size), text=True, check=True)
        return ctypes.CDLL(str(so)).conv_relu_bias

    def forward(self, x):
        conv = self.conv
        kh, kw = conv.kernel_size
        x = x.contiguous()
        n, c, h, w = x.shape
        oh, ow = h - kh + 1, w - kw + 1
        if c != conv.in_channels or oh < 1 or ow < 1:
            raise RuntimeError("bad input size")
        if tuple(self.bias.shape) != (conv.out_channels, 1, 1):
            raise NotImplementedError("bias of shape (out_channels, 1, 1) only")
        y = torch.empty(n, conv.out_channels, oh, ow)
        weight = conv.weight.detach().contiguous()
        ptr = [ctypes.c_void_p(t.data_ptr()) for t in (x, weight, conv.bias, self.bias, y)]
        self._fn(*ptr, *(ctypes.c_long(v) for v in (n, c, h, w, conv.out_channels, oh, ow)))
        return y
