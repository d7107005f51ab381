import math

import numba as nb
import torch
import torch.nn as nn


@nb.vectorize([nb.float32(nb.float32), nb.float64(nb.float64)], nopython=True)
def mish(x):
    # tanh(log(1 + e)) with e = exp(x) equals (e^2 + 2e) / (e^2 + 2e + 2): one exp instead of three calls.
    # For large x the ratio is 1 to the last bit and exp would overflow, so x is returned as it is.
    if x > 20.0:
        return x
    e = math.exp(float(x))
    w = e * (e + 2.0)
    return x * (w / (w + 2.0))


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()

    def forward(self, x):
        out = torch.empty(x.shape, dtype=x.dtype)
        if x.numel():
            mish(x.detach().numpy(), out=out.numpy())
        return out
