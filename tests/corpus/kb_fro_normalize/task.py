import torch
import torch.nn as nn
import torch.nn.functional as F



class Model(nn.Module):
    """x / ||x||_F over the whole tensor."""
    def __init__(self):
        super().__init__()

    def forward(self, x):
        return x / torch.norm(x, p="fro")

batch_size, features, dim = 16, 32, 1024

def get_inputs():
    return [torch.rand(batch_size, features, dim)]

def get_init_inputs():
    return []
