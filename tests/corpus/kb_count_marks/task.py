import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """How many elements of each row are set."""

    def forward(self, marks):
        return marks.sum(-1)


rows, cols = 16, 300


def get_inputs():
    return [torch.rand(rows, cols) < 0.3]


def get_init_inputs():
    return []
