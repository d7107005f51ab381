"""Dense layer with a fused activation."""

import torch
from torch import nn

AXES = {
    "batch": {"low": 1, "high": 2048, "role": "batch"},
    "in_features": {"low": 1, "high": 2048, "role": "config"},
    "out_features": {"low": 1, "high": 2048, "role": "config"},
}
TAGS = ("category:Fusion", "kerneleval:fused", "rubric:K3", "source:aten", "difficulty:medium")
BACKWARD = True

batch = 256
in_features = 512
out_features = 512


class Model(nn.Module):
    """y = max(x W^T + b, 0)."""

    def __init__(self, in_features: int, out_features: int) -> None:
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.relu(self.fc(x))


class Vendor(Model):
    """The library's own call."""

    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return torch.addmm(self.fc.bias, x, self.fc.weight.T).relu_()


def get_inputs():
    return [torch.randn(batch, in_features)]


def get_init_inputs():
    return [in_features, out_features]
