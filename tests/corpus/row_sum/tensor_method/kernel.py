"""A tensor method does the whole reduction."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.sum(-1)
