import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Depthwise 1-d convolution, same length."""

    def __init__(self, channels, width):
        super().__init__()
        self.conv = nn.Conv1d(channels, channels, width, padding=width // 2, groups=channels)

    def forward(self, x):
        return self.conv(x)


batch = 8
channels = 64
length = 512
width = 5


def get_inputs():
    return [torch.randn(batch, channels, length)]


def get_init_inputs():
    return [channels, width]
