"""The sum as a library product with a vector of ones."""

import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.mv(x, torch.ones(x.shape[-1]))
