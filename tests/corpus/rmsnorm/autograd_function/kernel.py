"""Library arithmetic hidden in the forward of an autograd function."""

import torch
import torch.nn as nn


class FusedNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        return x * torch.rsqrt(x.square().mean(-1, keepdim=True) + eps) * weight

    @staticmethod
    def backward(ctx, grad):
        raise NotImplementedError


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x):
        return FusedNorm.apply(x, self.weight, self.eps)
