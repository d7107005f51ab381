import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """Linear, bias and leaky ReLU"""
    def __init__(self, in_features, out_features, slope):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)
        self.slope = slope

    def forward(self, x):
        return F.leaky_relu(self.fc(x), self.slope)


in_features = 400
out_features = 384
slope = 0.05


def get_inputs():
    return [torch.randn(192, in_features)]


def get_init_inputs():
    return [in_features, out_features, slope]
