"""Loss of class scores against integer targets."""

import torch
from torch import nn

AXES = {
    "rows": {"low": 1, "high": 4096, "role": "batch"},
    "classes": {"low": 1, "high": 8192, "role": "size"},
}
TAGS = ("category:Loss", "kerneleval:reduction", "rubric:K2", "source:aten", "difficulty:medium")
BACKWARD = True

rows = 512
classes = 2048


class Model(nn.Module):
    """Mean cross entropy of logits against class indices."""

    def forward(self, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        picked = logits.gather(-1, targets.unsqueeze(-1)).squeeze(-1)
        return (torch.logsumexp(logits, dim=-1) - picked).mean()


class Vendor(Model):
    """The library's own call."""

    def forward(self, logits: torch.Tensor, targets: torch.Tensor) -> torch.Tensor:
        return nn.functional.cross_entropy(logits, targets)


def get_inputs():
    return [torch.randn(rows, classes), torch.randint(0, classes, (rows,))]


def get_init_inputs():
    return []
