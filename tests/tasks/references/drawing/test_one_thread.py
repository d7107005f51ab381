"""What is drawn by a seed is the same with two threads as with one."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
import torch

from assay.data.task import Task
from assay.tasks.references.drawing.one_thread import one_thread
from assay.tasks.references.reference import Reference
from assay.tasks.references.task_source import seed_everything

SOURCE = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.emb = nn.Embedding(2000, 192)
        self.shift = float(self.emb.weight.detach().mean())

    def forward(self, x):
        return self.emb(x.long()).mean(dim=1) + self.shift


def get_inputs():
    x = torch.rand(400, 1000)
    return [x / x.sum() + x.mean()]


def get_init_inputs():
    return []
"""


@pytest.fixture(autouse=True)
def threads() -> Iterator[None]:
    before = torch.get_num_threads()
    yield
    torch.set_num_threads(before)


def test_threads_are_given_back() -> None:
    torch.set_num_threads(2)
    with pytest.raises(KeyError), one_thread():
        assert torch.get_num_threads() == 1
        raise KeyError
    assert torch.get_num_threads() == 2


def test_weights_inputs_and_constructors_do_not_depend_on_the_threads() -> None:
    """A mean over 384,000 weights by two threads is another one in one draw of three."""
    reference = Reference(Task(id="sums", format="kernelbench", source=SOURCE))
    for seed in range(20):
        seen = []
        for count in (1, 2):
            torch.set_num_threads(count)
            seed_everything(seed)
            module = reference.construct({}, seed)
            state = reference.draw_state(module, seed)
            drawn = reference._own_draw(reference.own_axes, seed)
            seen.append((module.shift, state["emb.weight"], drawn[0]))
        (shift, weight, given), other = seen
        assert shift == other[0]
        assert torch.equal(weight, other[1]) and torch.equal(given, other[2])
