"""Optimiser: one step of SGD with momentum, in place."""

import torch
from torch import nn

AXES = {
    "size": {"low": 1, "high": 1048576, "role": "batch"},
}
TAGS = (
    "category:Optimizer",
    "kerneleval:elementwise",
    "rubric:K2",
    "source:aten",
    "difficulty:medium",
)
CONTRACT = {"kind": "updates", "inputs": (0, 2)}

size = 65536
RATE, MOMENTUM, DECAY = 0.05, 0.9, 1e-3


class Model(nn.Module):
    """v <- mu v + g + wd p, then p <- p - lr v, both in place; returns the step's norm."""

    def forward(
        self, param: torch.Tensor, grad: torch.Tensor, velocity: torch.Tensor
    ) -> torch.Tensor:
        velocity.mul_(MOMENTUM).add_(grad).add_(param, alpha=DECAY)
        param.sub_(velocity, alpha=RATE)
        return RATE * velocity.square().sum().sqrt()


def get_inputs():
    return [torch.randn(size), torch.randn(size), torch.randn(size)]


def get_init_inputs():
    return []
