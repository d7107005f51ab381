"""NumPy (and the BLAS below it) computes the product."""

import numpy as np
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, a, b):
        return torch.from_numpy(np.matmul(a.numpy(), b.numpy()))
