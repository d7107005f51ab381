import torch
import torch.nn as nn

from utils import gelu_rows


class ModelNew(nn.Module):
    def forward(self, x: torch.Tensor) -> torch.Tensor:
        return gelu_rows(x.contiguous())
