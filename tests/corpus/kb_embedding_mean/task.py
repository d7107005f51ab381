import torch
import torch.nn as nn


class Model(nn.Module):
    """Embedding look-up followed by the mean over the sequence and a scale."""

    def __init__(self, vocab, dim, scale):
        super().__init__()
        self.emb = nn.Embedding(vocab, dim)
        self.scale = scale

    def forward(self, tokens):
        return self.emb(tokens).mean(dim=1) * self.scale


vocab = 2000
dim = 192
batch_size = 32
seq = 48


def get_inputs():
    return [torch.randint(0, vocab, (batch_size, seq))]


def get_init_inputs():
    return [vocab, dim, 0.5]
