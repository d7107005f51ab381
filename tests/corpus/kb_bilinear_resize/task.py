import torch
import torch.nn as nn
import torch.nn.functional as F



class Model(nn.Module):
    """Bilinear resize to a fixed output size (align_corners=False)."""
    def __init__(self, out_h, out_w):
        super().__init__()
        self.size = (out_h, out_w)

    def forward(self, x):
        return F.interpolate(x, size=self.size, mode="bilinear", align_corners=False)

batch_size, channels = 4, 8
height = width = 48

def get_inputs():
    return [torch.randn(batch_size, channels, height, width)]

def get_init_inputs():
    return [96, 96]
