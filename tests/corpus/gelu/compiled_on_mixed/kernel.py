"""torch.compile writes the kernel; on the track mixed that is allowed."""

import torch
import torch.nn as nn


@torch.compile(dynamic=True)
def kernel(x):
    return 0.5 * x * (1.0 + torch.erf(x * 0.70710678118654752))


class ModelNew(nn.Module):
    def forward(self, x):
        return kernel(x)
