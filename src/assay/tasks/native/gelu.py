"""Elementwise activation."""

import torch
from torch import nn

AXES = {
    "rows": {"low": 1, "high": 4096, "role": "batch"},
    "cols": {"low": 1, "high": 8192, "role": "size"},
}
TAGS = (
    "category:Activation",
    "kerneleval:elementwise",
    "rubric:K1",
    "source:aten",
    "difficulty:easy",
)
BACKWARD = True

rows = 256
cols = 4096


class Model(nn.Module):
    """Exact GELU: x times the normal distribution function, by erf."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return 0.5 * x * (1.0 + torch.erf(x * 0.7071067811865476))


class Vendor(Model):
    """The library's own call."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        if x.device.type == "cpu":
            raise NotImplementedError(
                "on a CPU the library's GELU is 0.1 % off at x = -3: not right"
            )
        return nn.functional.gelu(x)


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
