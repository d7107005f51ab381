from __future__ import annotations

import dataclasses
import functools

import numba
import torch
import torch.nn as nn


@dataclasses.dataclass(slots=True)
class Plan:
    """How a tensor of this shape is walked. Depends on the shape only."""

    outer: int
    length: int
    inner: int
    out_shape: tuple[int, ...]

    @classmethod
    @functools.lru_cache(maxsize=128)
    def of(cls, shape: tuple[int, ...], dim: int) -> Plan:
        prod = lambda xs: functools.reduce(lambda a, b: a * b, xs, 1)  # noqa: E731
        return cls(prod(shape[:dim]), shape[dim], prod(shape[dim + 1 :]), shape[:dim] + shape[dim + 1 :])


@numba.njit(nogil=True)
def _argmax3(x, y):
    for o in range(x.shape[0]):
        for i in range(x.shape[2]):
            best = x[o, 0, i]
            where = 0
            if best == best:
                for k in range(1, x.shape[1]):
                    v = x[o, k, i]
                    if v != v:
                        where = k
                        break
                    if v > best:
                        best = v
                        where = k
            y[o, i] = where


class ModelNew(nn.Module):
    def __init__(self, dim):
        super().__init__()
        self.dim = dim

    @torch.no_grad()
    def forward(self, x):
        dim = range(x.dim())[self.dim]  # raises IndexError when out of range, handles negatives
        plan = Plan.of(tuple(x.shape), dim)
        if plan.length == 0:
            raise IndexError("cannot take the argmax over an empty dimension")
        y = torch.empty(plan.out_shape, dtype=torch.long)
        if y.numel() == 0:
            return y
        x3 = x.contiguous().view(plan.outer, plan.length, plan.inner)
        _argmax3(x3.numpy(), y.view(plan.outer, plan.inner).numpy())
        return y
