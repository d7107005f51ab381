"""Where libraries are allowed: the product in TF32 by way of the float32 precision setting."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def __init__(self):
        super().__init__()
        torch.set_float32_matmul_precision("high")

    def forward(self, a, b):
        return torch.matmul(a, b)
