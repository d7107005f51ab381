import torch
import torch.nn as nn
import torch.nn.functional as F



class Model(nn.Module):
    """Mean token cross entropy; class 0 is padding and is ignored."""
    def __init__(self, ignore_index):
        super().__init__()
        self.ignore_index = ignore_index

    def forward(self, logits, targets):
        return F.cross_entropy(logits, targets, ignore_index=self.ignore_index)

tokens = 512
classes = 1000

def get_inputs():
    return [torch.randn(tokens, classes), torch.randint(1, classes, (tokens,))]

def get_init_inputs():
    return [0]
