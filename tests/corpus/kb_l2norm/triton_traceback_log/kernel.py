import logging
import traceback

import torch
import torch.nn as nn
import triton
import triton.language as tl


def _f32(t):
    if t.dtype is not torch.float32:
        raise TypeError("float32 only")
    return t.contiguous()


@triton.jit
def _l2(x_ptr, y_ptr, n, BLOCK: tl.constexpr):
    row = tl.program_id(0)
    cols = tl.arange(0, BLOCK)
    mask = cols < n
    x = tl.load(x_ptr + row * n + cols, mask=mask, other=0.0)
    d = tl.sqrt(tl.sum(x * x, axis=0))
    d = tl.where(d < 1e-12, 1e-12, d)
    tl.store(y_ptr + row * n + cols, x / d, mask=mask)


def _out(x):
    return torch.empty(x.shape, dtype=x.dtype)


def _launch(y, x):
    x = _f32(x)
    n = x.shape[-1]
    if x.numel():
        _l2[(x.numel() // n,)](x, y, n, BLOCK=triton.next_power_of_2(n))


def _kernel(*args):
    y = _out(*args)
    _launch(y, *args)
    return y


log = logging.getLogger(__name__)


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        if x.dtype is not torch.float32:
            log.error("unsupported dtype %s at\n%s", x.dtype, "".join(traceback.format_stack(limit=3)))
            raise TypeError("float32 only")
        return _kernel(x)
