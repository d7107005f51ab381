import torch
import torch.nn as nn
import torch.nn.functional as F



class Model(nn.Module):
    """MaxPool2d with padding."""
    def __init__(self, kernel_size, stride, padding, dilation):
        super().__init__()
        self.pool = nn.MaxPool2d(kernel_size, stride=stride, padding=padding, dilation=dilation)

    def forward(self, x):
        return self.pool(x)

batch_size = 8
channels = 16
height = width = 64
kernel_size, stride, padding, dilation = 3, 2, 1, 1

def get_inputs():
    return [torch.rand(batch_size, channels, height, width)]

def get_init_inputs():
    return [kernel_size, stride, padding, dilation]
