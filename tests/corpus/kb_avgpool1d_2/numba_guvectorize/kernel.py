import numpy as np
import torch
import torch.nn as nn
from numba import guvectorize


@guvectorize(
    ["void(float32[:], int64, int64, int64, float32[:], float32[:])"],
    "(l),(),(),(),(t)->(t)",
    nopython=True,
)
def _window_mean(x, kernel, stride, padding, shape_only, out):
    # shape_only carries the output length, nothing else
    for t in range(out.shape[0]):
        acc = 0.0
        first = t * stride - padding
        for k in range(kernel):
            p = first + k
            if p >= 0 and p < x.shape[0]:
                acc += x[p]
        out[t] = acc / kernel


class ModelNew(nn.Module):
    """Average pooling (padding counts in the divisor) as a generalised ufunc over the leading dimensions."""

    def __init__(self, kernel_size, stride=1, padding=0):
        super().__init__()
        self.avg_pool = nn.AvgPool1d(kernel_size=kernel_size, stride=stride, padding=padding)

    def forward(self, x):
        (k,), (s,), (p,) = self.avg_pool.kernel_size, self.avg_pool.stride, self.avg_pool.padding
        length = (x.shape[-1] + 2 * p - k) // s + 1
        if length < 1:
            raise RuntimeError("output would be empty")
        y = torch.empty(*x.shape[:-1], length)
        if y.numel():
            _window_mean(x.detach().numpy(), k, s, p, np.empty(length, dtype=np.float32), y.numpy())
        return y
