import torch
import torch.nn as nn
import torch.nn.functional as F



class Model(nn.Module):
    """Linear layer with a LoRA adapter: W x + b + (alpha / r) * B (A x)."""
    def __init__(self, in_features, out_features, rank, alpha):
        super().__init__()
        self.base = nn.Linear(in_features, out_features)
        self.lora_a = nn.Parameter(torch.randn(rank, in_features) / in_features ** 0.5)
        self.lora_b = nn.Parameter(torch.zeros(out_features, rank))
        self.scaling = alpha / rank

    def forward(self, x):
        return self.base(x) + self.scaling * ((x @ self.lora_a.t()) @ self.lora_b.t())

tokens = 128
in_features = 256
out_features = 256
rank, alpha = 8, 16

def get_inputs():
    return [torch.randn(tokens, in_features)]

def get_init_inputs():
    return [in_features, out_features, rank, alpha]
