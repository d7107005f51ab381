"""The reference expression through the TorchScript compiler."""

import torch
import torch.nn as nn


@torch.jit.script
def fused_softmax(x: torch.Tensor) -> torch.Tensor:
    shifted = (x - x.amax(-1, keepdim=True)).exp()
    return shifted / shifted.sum(-1, keepdim=True)


class ModelNew(nn.Module):
    def forward(self, x):
        return fused_softmax(x)
