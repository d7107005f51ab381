"""torch.compile writes the kernel, not the author."""

import torch
import torch.nn as nn


@torch.compile
def kernel(x):
    e = (x - x.amax(dim=-1, keepdim=True)).exp()
    return e / e.sum(dim=-1, keepdim=True)


class ModelNew(nn.Module):
    def forward(self, x):
        return kernel(x)
