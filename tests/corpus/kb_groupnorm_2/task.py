import torch
import torch.nn as nn


class Model(nn.Module):
    """GroupNorm over NCHW."""

    def __init__(self, num_features, num_groups):
        super().__init__()
        self.gn = nn.GroupNorm(num_groups=num_groups, num_channels=num_features)

    def forward(self, x):
        return self.gn(x)


batch_size = 8
features = 32
num_groups = 8
dim1 = 40
dim2 = 40


def get_inputs():
    return [torch.rand(batch_size, features, dim1, dim2)]


def get_init_inputs():
    return [features, num_groups]
