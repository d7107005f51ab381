import torch
import torch.nn as nn


class Model(nn.Module):
    """Activation that overwrites its own input, as many networks do to save memory."""

    def __init__(self):
        super().__init__()
        self.act = nn.LeakyReLU(0.1, inplace=True)

    def forward(self, x):
        return self.act(x)


rows = 128
cols = 384


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
