import math
from typing import Callable

import numpy as np
import torch
import torch.nn as nn
from numba import njit

EPS = 1e-6


def make_distance(eps: float) -> Callable:
    """Distance kernel with eps baked in as a compile-time constant."""

    @njit(inline="always")
    def distance(u, v):
        acc = 0.0
        for i in range(u.shape[0]):
            d = np.float64(u[i]) - np.float64(v[i]) + eps
            acc += d * d
        return math.sqrt(acc)

    return distance


def make_loss(distance: Callable) -> Callable:
    @njit
    def loss(a, p, n, margin):
        total = 0.0
        rows = a.shape[0]
        for r in range(rows):
            x = margin + distance(a[r], p[r]) - distance(a[r], n[r])
            if not (x <= 0.0):  # keeps NaN
                total += x
        if rows == 0:
            return np.nan
        return total / rows

    return loss


class ModelNew(nn.Module):
    def __init__(self, margin=1.0):
        super().__init__()
        self.loss_fn = torch.nn.TripletMarginLoss(margin=margin)  # carries the margin; never called
        self._kernel = make_loss(make_distance(EPS))

    def forward(self, anchor, positive, negative):
        if not anchor.shape == positive.shape == negative.shape or anchor.dim() != 2:
            raise ValueError("three (N, D) tensors expected")
        arrays = [t.detach().numpy() for t in (anchor, positive, negative)]
        return torch.tensor(self._kernel(*arrays, float(self.loss_fn.margin)), dtype=anchor.dtype)
