"""A copy of a module whose functions enclose its layers."""

from __future__ import annotations

import torch
from torch import nn

from assay.data.task import Task
from assay.tasks.references.module_copy import copied_module
from assay.tasks.references.reference import Reference

SOURCE = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        layers = nn.ModuleDict({"wide": nn.Linear(4, 8), "narrow": nn.Linear(8, 4)})
        self.layers = layers
        self.block = lambda x: layers.narrow(torch.relu(layers.wide(x)))

    def forward(self, x):
        return x + self.block(x)


def get_inputs():
    return [torch.rand(3, 4)]


def get_init_inputs():
    return []
""".replace("layers.narrow", 'layers["narrow"]').replace("layers.wide", 'layers["wide"]')


class Enclosing(nn.Module):
    """Holds functions over its layer: by a closure, and by a default."""

    def __init__(self) -> None:
        super().__init__()
        layer = nn.Linear(2, 2)
        self.layer = layer
        self.enclosed = lambda x: layer(x)
        self.by_default = lambda x, called=layer: called(x)


def test_functions_call_the_layers_of_the_copy() -> None:
    original = Enclosing()
    copy = copied_module(original)
    with torch.no_grad():
        copy.layer.weight.zero_()
        copy.layer.bias.fill_(3.0)
    row = torch.ones(1, 2)
    for function in (copy.enclosed, copy.by_default):
        assert torch.equal(function(row), torch.full((1, 2), 3.0))
    assert torch.equal(original.enclosed(row), original.layer(row))


def test_a_reference_with_a_lambda_over_its_layers_runs_in_float64() -> None:
    reference = Reference(Task(id="enclosing", title="", format="kernelbench", source=SOURCE))
    bound = reference.bind({}, 1)
    inputs, state = reference.draw(reference.own_workload(), 2), dict(bound.module.state_dict())
    wide = bound(inputs, state, wide=True).tensors[0]
    assert wide.dtype is torch.float64
    torch.testing.assert_close(wide.float(), bound(inputs, state, wide=False).tensors[0])
