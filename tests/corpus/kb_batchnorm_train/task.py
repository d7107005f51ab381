import torch
import torch.nn as nn
import torch.nn.functional as F



class Model(nn.Module):
    """BatchNorm2d (batch statistics in training mode, running statistics in eval mode)."""
    def __init__(self, channels):
        super().__init__()
        self.bn = nn.BatchNorm2d(channels)

    def forward(self, x):
        return self.bn(x)

batch_size, channels, height, width = 16, 16, 32, 32

def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]

def get_init_inputs():
    return [channels]
