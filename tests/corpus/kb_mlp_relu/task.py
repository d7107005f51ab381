import torch
import torch.nn as nn
import torch.nn.functional as F


class Model(nn.Module):
    """relu(x W^T + b)"""

    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features)

    def forward(self, x):
        return torch.relu(self.fc(x))


batch = 128
in_features = 256
out_features = 256


def get_inputs():
    return [torch.randn(batch, in_features)]


def get_init_inputs():
    return [in_features, out_features]
