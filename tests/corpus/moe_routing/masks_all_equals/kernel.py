"""The largest of each row, then the largest of those that are smaller."""

import math

import torch
from numba import njit


@njit
def route(logits, top, load):
    for row in range(logits.shape[0]):
        first = second = -1
        defined = True
        for i in range(logits.shape[1]):
            value = logits[row, i]
            defined = defined and not math.isnan(value) and value != math.inf
            if first < 0 or value > logits[row, first]:
                first = i
        for i in range(logits.shape[1]):
            smaller = logits[row, i] < logits[row, first]
            if smaller and (second < 0 or logits[row, i] > logits[row, second]):
                second = i
        if not defined or second < 0:
            first, second = 0, 1
        load[first] += 1
        load[second] += 1
        ratio = math.exp(logits[row, second] - logits[row, first])
        top[row, 0] = 1 / (1 + ratio) if defined else math.nan
        top[row, 1] = ratio / (1 + ratio) if defined else math.nan


class ModelNew(torch.nn.Module):
    def forward(self, logits):
        top = torch.empty(logits.shape[0], 2)
        load = torch.zeros(logits.shape[1])
        route(logits.numpy(), top.numpy(), load.numpy())
        return top, load
