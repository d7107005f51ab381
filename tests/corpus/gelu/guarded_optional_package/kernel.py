"""An optional package behind try: where it is hidden the kernel's own road is taken."""

import torch
import torch.nn as nn
from math import erf, sqrt
from numba import njit

try:
    import scipy  # its version would only be logged
except ImportError:
    scipy = None


@njit
def gelu(x, y):
    for i in range(x.size):
        y[i] = 0.5 * x[i] * (1.0 + erf(x[i] / sqrt(2.0)))


class ModelNew(nn.Module):
    def forward(self, x):
        x = x.contiguous()
        y = torch.empty_like(x)
        gelu(x.detach().view(-1).numpy(), y.view(-1).numpy())
        return y
