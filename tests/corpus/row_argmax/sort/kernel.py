"""Another library operation (topk) that contains the answer."""

import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return x.topk(1, dim=-1).indices[..., 0]
