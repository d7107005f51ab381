import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """The first place of the largest integer of each row."""

    def forward(self, x):
        return x.argmax(-1)


rows, cols = 32, 50


def get_inputs():
    return [torch.randint(0, 1000000, (rows, cols))]


def get_init_inputs():
    return []
