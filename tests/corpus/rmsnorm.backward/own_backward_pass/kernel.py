"""The gradients of RMSNorm by an autograd function whose backward pass is the kernel."""

import math

import numpy as np
import torch
import torch.nn as nn
from numba import njit


@njit
def rmsnorm_backward(x, weight, gradient, eps, x_gradient, weight_gradient):
    rows, features = x.shape
    sums = np.zeros(features)
    for row in range(rows):
        squares = 0.0
        for i in range(features):
            squares += np.float64(x[row, i]) * x[row, i]
        scale = 1.0 / math.sqrt(squares / features + eps)
        product = 0.0
        for i in range(features):
            product += np.float64(gradient[row, i]) * weight[i] * x[row, i]
        pull = product * scale * scale * scale / features
        for i in range(features):
            own = gradient[row, i] * np.float64(weight[i]) * scale
            x_gradient[row, i] = own - x[row, i] * pull
            sums[i] += np.float64(gradient[row, i]) * x[row, i] * scale
    for i in range(features):
        weight_gradient[i] = sums[i]


class RMSNorm(torch.autograd.Function):
    @staticmethod
    def forward(ctx, x, weight, eps):
        ctx.save_for_backward(x, weight)
        ctx.eps = eps
        return torch.empty_like(x)  # only the gradients are asked for

    @staticmethod
    def backward(ctx, gradient):
        x, weight = (tensor.detach() for tensor in ctx.saved_tensors)
        made = torch.empty_like(x), torch.empty_like(weight)
        given = (tensor.numpy() for tensor in (x, weight, gradient.contiguous()))
        rmsnorm_backward(*given, ctx.eps, *(tensor.numpy() for tensor in made))
        return *made, None


class ModelNew(nn.Module):
    def __init__(self, features, eps=1e-6):
        super().__init__()
        self.weight = nn.Parameter(torch.ones(features))
        self.eps = eps

    def forward(self, x, gradient):
        with torch.enable_grad():
            leaf = x.detach().contiguous().requires_grad_(True)
            y = RMSNorm.apply(leaf, self.weight, self.eps)
            return torch.autograd.grad(y, (leaf, self.weight), gradient)
