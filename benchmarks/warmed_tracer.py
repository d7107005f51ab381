"""What the process that forks tracers imports: torch, and a first trace.

The rule: one thread, because the threads of OpenMP do not survive a fork.
"""

from __future__ import annotations

import torch
from warm_traces import trace

_FIRST = """
import torch
from torch import nn


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x @ x, -1).sum(0)


def get_inputs():
    return [torch.rand(8, 8)]


def get_init_inputs():
    return []
"""

torch.set_num_threads(1)
trace(_FIRST, "Model", 120.0)
