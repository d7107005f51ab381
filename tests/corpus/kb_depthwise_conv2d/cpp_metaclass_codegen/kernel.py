# A metaclass that turns a `source` attribute into a loaded shared object. Over-engineered on purpose.
import ctypes
import hashlib
import os
import subprocess
import tempfile
from typing import Any, ClassVar

import torch
import torch.nn as nn


class NativeMeta(type):
    registry: ClassVar[dict] = {}

    def __new__(mcls, name, bases, space, **kw):
        cls = super().__new__(mcls, name, bases, space)
        text = space.get("source")
        if text:
            cls.dll = mcls.compile(name, text)
            mcls.registry[name] = cls
        return cls

    @staticmethod
    def compile(name: str, text: str) -> ctypes.CDLL:
        folder = os.path.join(tempfile.gettempdir(), "native_" + hashlib.sha256(text.encode()).hexdigest()[:16])
        os.makedirs(folder, exist_ok=True)
        so = os.path.join(folder, name + ".so")
        if not os.path.exists(so):
            part = os.path.join(folder, f"{name}.{os.getpid()}.so")
            subprocess.run(["c++", "-x", "c++", "-std=c++17", "-O3", "-fPIC", "-shared", "-o", part, "-"], input=text.encode(), check=True)
            os.replace(part, so)
        return ctypes.CDLL(so)

    def __getattr__(cls, item: str) -> Any:
        if item.startswith("__"):
            raise AttributeError(item)
        fn = getattr(cls.__dict__["dll"], item)
        fn.restype = None
        return fn


class Depthwise(metaclass=NativeMeta):
    source = r"""
    template <long KH, long KW> struct Fixed { static constexpr long kh() { return KH; } static constexpr long kw() { return KW; } };
    struct Dyn { long a, b; long kh() const { return a; } long kw() const { return b; } };
    struct Geometry { long N, C, H, W, OH, OW, KH, KW, SH, SW, PH, PW; };

    template <class Size>
    static void plane(const float* x, const float* w, float bias, float* y, const Geometry& g, Size s) {
      for (long oh = 0; oh < g.OH; ++oh) for (long ow = 0; ow < g.OW; ++ow) {
        float acc = bias;
        for (long i = 0; i < s.kh(); ++i) for (long j = 0; j < s.kw(); ++j) {
          const long h = oh * g.SH + i - g.PH, v = ow * g.SW + j - g.PW;
          // padding contributes a literal zero times the weight, like a zero padded tensor would
          const float in = (h >= 0 && h < g.H && v >= 0 && v < g.W) ? x[h * g.W + v] : 0.0f;
          acc += in * w[i * s.kw() + j];
        }
        y[oh * g.OW + ow] = acc;
      }
    }
    extern "C" void depthwise(const float* x, const float* w, const float* b, float* y, const Geometry* gp) {
      const Geometry g = *gp;
      for (long n = 0; n < g.N; ++n) for (long c = 0; c < g.C; ++c) {
        const float* xs = x + (n * g.C + c) * g.H * g.W; const float* ws = w + c * g.KH * g.KW;
        float* ys = y + (n * g.C + c) * g.OH * g.OW; const float bias = b ? b[c] : 0.0f;
        if (g.KH == 3 && g.KW == 5) plane(xs, ws, bias, ys, g, Fixed<3, 5>());
        else if (g.KH == 3 && g.KW == 3) plane(xs, ws, bias, ys, g, Fixed<3, 3>());
        else plane(xs, ws, bias, ys, g, Dyn{g.KH, g.KW});
      }
    }
    """


class Geometry(ctypes.Structure):
    _fields_ = [(n, ctypes.c_long) for n in "N C H W OH OW KH KW SH SW PH PW".split()]


class ModelNew(nn.Module):
    def __init__(self, channels, kernel_h, kernel_w, stride=1, padding=0, bias=False):
        super().__init__()
        self.conv2d = nn.Conv2d(
            channels, channels, (kernel_h, kernel_w), stride=stride, padding=padding, groups=channels, bias=bias
        )

    def forward(self, x):
        conv = self.conv2d
        (kh, kw), (sh, sw), (ph, pw) = conv.kernel_size, conv.stride, conv.padding
        x = x.contiguous()
        n, c, h, w = x.shape
        if c != conv.groups:
            raise RuntimeError(f"expected {conv.groups} channels, got {c}")
        oh, ow = (h + 2 * ph - kh) // sh + 1, (w + 2 * pw - kw) // sw + 1
        if oh < 1 or ow < 1:
            raise RuntimeError("kernel size can't be greater than input size")
        y = torch.empty(n, c, oh, ow, dtype=torch.float32)
        weight = conv.weight.detach().contiguous()
        geo = Geometry(n, c, h, w, oh, ow, kh, kw, sh, sw, ph, pw)
        bias = None if conv.bias is None else ctypes.c_void_p(conv.bias.data_ptr())
        Depthwise.depthwise(
            ctypes.c_void_p(x.data_ptr()), ctypes.c_void_p(weight.data_ptr()), bias,
            ctypes.c_void_p(y.data_ptr()), ctypes.byref(geo),
        )
        return y
