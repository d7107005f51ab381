"""Tasks in KernelBench's format, as anyone would write them: two of usual size, and a tiny one."""

MISH = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x * torch.tanh(nn.functional.softplus(x))


rows, cols = 256, 1024


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
"""
UNIT_ROWS = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return x / torch.sqrt(x.square().sum(dim=-1, keepdim=True) + 1e-6)


rows, cols = 256, 1024


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
"""
TINY_GELU = """import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return nn.functional.gelu(x)


rows, cols = 16, 256


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return []
"""
