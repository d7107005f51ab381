"""TaskTemplate: a task file that works as it is, to be changed.

The rule: it is sound - no null answer passes it - and names its sizes, so that other shapes are
asked too.
"""

from __future__ import annotations

_TEXT = '''"""A task: what to compute, and on what. Change reference, sizes and inputs."""

import torch

rows = 128
cols = 512


class Model(torch.nn.Module):
    """{title}: silu(x) times a learned scale for each column."""

    def __init__(self, cols):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.rand(cols) + 0.5)

    def forward(self, x):
        return torch.nn.functional.silu(x) * self.scale


def get_inputs():
    return [torch.randn(rows, cols)]


def get_init_inputs():
    return [cols]
'''


def task_template(name: str) -> str:
    """The text of the file; `name` goes into its title."""
    return _TEXT.format(title=name.replace("_", " ").capitalize())
