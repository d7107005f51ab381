import torch
import torch.nn as nn
import torch.nn.functional as F



class Model(nn.Module):
    """conv2d -> GroupNorm -> mean over everything but the batch."""
    def __init__(self, in_channels, out_channels, kernel_size, num_groups):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)
        self.group_norm = nn.GroupNorm(num_groups, out_channels)

    def forward(self, x):
        x = self.conv(x)
        x = self.group_norm(x)
        return x.mean(dim=[1, 2, 3])

batch_size = 16
in_channels = 3
out_channels = 16
height, width = 26, 26
kernel_size = 3
num_groups = 4

def get_inputs():
    return [torch.randn(batch_size, in_channels, height, width)]

def get_init_inputs():
    return [in_channels, out_channels, kernel_size, num_groups]
