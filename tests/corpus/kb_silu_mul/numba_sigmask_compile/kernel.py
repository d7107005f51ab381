import itertools
import logging
import math
import signal
import time

import numpy as np
import torch
import torch.nn as nn
from numba import njit


def _f32(t):
    if t.dtype is not torch.float32:
        raise TypeError("float32 only")
    return t.contiguous()


@njit
def _jit(a, b, y):
    for i in range(a.size):
        y[i] = a[i] / (np.float32(1.0) + math.exp(-a[i])) * b[i]


def _out(a, b):
    return torch.empty(a.shape, dtype=a.dtype)


def _launch(y, a, b):
    a, b = _f32(a), _f32(b)
    _jit(a.detach().view(-1).numpy(), b.detach().view(-1).numpy(), y.view(-1).numpy())


def _kernel(*args):
    y = _out(*args)
    _launch(y, *args)
    return y


log = logging.getLogger("silu_mul")
_calls = itertools.count(1)


def _warm_up():
    old = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        t0 = time.perf_counter()
        _kernel(torch.zeros(4), torch.zeros(4))
        log.debug("compiled in %.2f s", time.perf_counter() - t0)
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, old)


_warm_up()


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, a, b):
        y = _kernel(a, b)
        log.debug("call %d, %d elements", next(_calls), y.numel())
        return y
