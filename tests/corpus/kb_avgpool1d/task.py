import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """1-D average pooling"""
    def __init__(self, kernel_size, stride):
        super().__init__()
        self.pool = nn.AvgPool1d(kernel_size, stride=stride)

    def forward(self, x):
        return self.pool(x)


kernel_size = 8
stride = 4


def get_inputs():
    return [torch.randn(16, 32, 600)]


def get_init_inputs():
    return [kernel_size, stride]
