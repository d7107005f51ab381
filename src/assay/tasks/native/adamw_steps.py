"""Optimiser: several steps of AdamW over one flat parameter, state included."""

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

size = 65536
STEPS = 3
RATE, DECAY, EPSILON = 1e-2, 1e-2, 1e-8
BETA1, BETA2 = 0.9, 0.999
TAKEN = 4  # steps that lie behind the state that is given


class Model(nn.Module):
    """Parameter and both moments after three more steps, one row of `grads` for each.

    p <- p (1 - lr wd) - lr (m / (1 - b1^t)) / (sqrt(v / (1 - b2^t)) + eps), t = 5, 6, 7.
    """

    def forward(
        self, param: torch.Tensor, grads: torch.Tensor, mean: torch.Tensor, square: torch.Tensor
    ) -> tuple[torch.Tensor, torch.Tensor, torch.Tensor]:
        for step in range(STEPS):
            taken = TAKEN + step + 1
            mean = BETA1 * mean + (1 - BETA1) * grads[step]
            square = BETA2 * square + (1 - BETA2) * grads[step] * grads[step]
            root = torch.sqrt(square / (1 - BETA2**taken)) + EPSILON
            param = param * (1 - RATE * DECAY) - RATE * (mean / (1 - BETA1**taken)) / root
        return param, mean, square


def get_inputs():
    moments = [torch.randn(size) * 0.1, torch.rand(size) * 0.01]
    return [torch.randn(size), torch.randn(STEPS, size), *moments]


def get_init_inputs():
    return []
