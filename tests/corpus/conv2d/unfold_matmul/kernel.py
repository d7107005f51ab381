"""im2col by library views and one library product."""

import torch.nn as nn
import torch.nn.functional as F


class ModelNew(nn.Module):
    def __init__(self, in_channels, out_channels, kernel_size):
        super().__init__()
        self.conv = nn.Conv2d(in_channels, out_channels, kernel_size)

    def forward(self, x):
        batch, _, height, width = x.shape
        out, _, size, _ = self.conv.weight.shape
        columns = F.unfold(x, size)
        y = self.conv.weight.view(out, -1) @ columns + self.conv.bias[:, None]
        return y.view(batch, out, height - size + 1, width - size + 1)
