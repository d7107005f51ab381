"""Losses of the rows in Numba, averaged in double precision."""

import math

import torch
import torch.nn as nn
from numba import njit


@njit
def mean_loss(logits, targets):
    loss = 0.0
    for row in range(logits.shape[0]):
        largest = logits[row, 0]
        for i in range(logits.shape[1]):
            if logits[row, i] > largest or math.isnan(logits[row, i]):
                largest = logits[row, i]
        total = 0.0
        for i in range(logits.shape[1]):
            total += math.exp(logits[row, i] - largest)
        shift = 0.0 if math.isinf(largest) else math.log(total)
        loss += shift + largest - logits[row, targets[row]]
    return loss / logits.shape[0]


class ModelNew(nn.Module):
    def forward(self, logits, targets):
        if logits.dtype != torch.float32:
            raise TypeError("this kernel computes in float32 only")
        x = logits.detach().contiguous().numpy()
        return torch.tensor(mean_loss(x, targets.contiguous().numpy()), dtype=logits.dtype)
