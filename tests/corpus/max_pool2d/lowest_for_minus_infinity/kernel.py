"""Windows of three by three, every second place; a NaN stays one."""

import numpy as np
import torch
from numba import njit

LOWEST = np.float32(np.finfo(np.float32).min)


@njit
def pool(x, y):
    images, channels, height, width = x.shape
    for image in range(images):
        for channel in range(channels):
            for i in range(y.shape[2]):
                for j in range(y.shape[3]):
                    best = LOWEST
                    for row in range(max(2 * i - 1, 0), min(2 * i + 2, height)):
                        for column in range(max(2 * j - 1, 0), min(2 * j + 2, width)):
                            value = x[image, channel, row, column]
                            if value > best or value != value:
                                best = value
                    y[image, channel, i, j] = best


class ModelNew(torch.nn.Module):
    def forward(self, x):
        height, width = ((side - 1) // 2 + 1 for side in x.shape[2:])
        y = torch.empty(*x.shape[:2], height, width)
        pool(x.numpy(), y.numpy())
        return y
