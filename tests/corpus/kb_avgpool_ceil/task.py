import torch
import torch.nn as nn
import torch.nn.functional as F



class Model(nn.Module):
    """AvgPool2d with ceil_mode, padded zeros counted."""
    def __init__(self, kernel_size, stride, padding):
        super().__init__()
        self.pool = nn.AvgPool2d(kernel_size, stride=stride, padding=padding, ceil_mode=True, count_include_pad=True)

    def forward(self, x):
        return self.pool(x)

batch_size = 8
channels = 24
height, width = 49, 49

def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]

def get_init_inputs():
    return [3, 2, 1]
