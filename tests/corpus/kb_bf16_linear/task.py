import torch
import torch.nn as nn
import torch.nn.functional as F



class Model(nn.Module):
    """bfloat16 linear layer (bf16 in, bf16 out, fp32 accumulation expected)."""
    def __init__(self, in_features, out_features):
        super().__init__()
        self.fc = nn.Linear(in_features, out_features).to(torch.bfloat16)

    def forward(self, x):
        return self.fc(x)

batch = 128
in_features = 512
out_features = 256

def get_inputs():
    return [torch.randn(batch, in_features).to(torch.bfloat16)]

def get_init_inputs():
    return [in_features, out_features]
