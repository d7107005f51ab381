import numpy as np
import torch
import torch.nn as nn
from numba import njit

_TEMPLATE = """
def kernel(x, y):
    for a in range(x.shape[0]):
        for c in range(x.shape[2]):
            m = {ninf}
            for b in range(x.shape[1]):
                if x[a, b, c] > m:
                    m = x[a, b, c]
            if np.isinf(m):
                m = {zero}
            s = 0.0
            for b in range(x.shape[1]):
                s += np.exp({wide}(x[a, b, c]) - {wide}(m))
            y[a, c] = np.log(s) + {wide}(m)
"""
_kernels = {}


def _get(dtype):
    # one specialisation per dtype; the cache keeps compiled code only
    if dtype not in _kernels:
        t = "np.float32" if dtype == torch.float32 else "np.float64"
        src = _TEMPLATE.format(ninf=t + "(-np.inf)", zero=t + "(0)", wide="np.float64")
        env = {"np": np}
        exec(compile(src, "<lse %s>" % t, "exec"), env)
        _kernels[dtype] = njit(error_model="numpy")(env["kernel"])
    return _kernels[dtype]


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        if x.dtype not in (torch.float32, torch.float64):
            raise TypeError("float32 or float64 only")
        tail = tuple(x.shape[2:])
        n = 1
        for d in tail:
            n *= d
        x = x.detach().contiguous().view(x.shape[0], x.shape[1], n)
        y = torch.empty((x.shape[0], n), dtype=x.dtype)
        _get(x.dtype)(x.numpy(), y.numpy())
        return y.view((x.shape[0],) + tail)
