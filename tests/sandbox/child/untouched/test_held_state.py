"""Held state: what a module computes with, whatever it says that it saves."""

from __future__ import annotations

from typing import Any

import torch

from assay.sandbox.child.untouched.held_state import (
    buffers_of,
    held_state,
    parameters_of,
    parts_of,
)
from assay.sandbox.child.untouched.parameter_prints import ParameterPrints


class _TellsOtherwise(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.fc = torch.nn.Linear(3, 2)
        self.register_buffer("scratch", torch.zeros(4), persistent=False)
        self.kept = {n: p.detach().clone() for n, p in self.named_parameters()}

    def state_dict(self, *args: Any, **kwargs: Any) -> Any:
        return dict(self.kept)


def test_it_is_read_where_torch_keeps_it() -> None:
    module = _TellsOtherwise()
    held = held_state(module)
    assert list(held) == ["fc.weight", "fc.bias"]
    assert held["fc.weight"] is module.fc.weight
    assert held_state(print) == {}


def test_it_is_what_an_honest_module_saves() -> None:
    module = torch.nn.Sequential(torch.nn.BatchNorm1d(3), torch.nn.Linear(3, 2, bias=False))
    assert list(held_state(module)) == list(module.state_dict())


def test_a_parameter_is_looked_at_behind_what_is_said_of_it() -> None:
    module, prints = _TellsOtherwise(), ParameterPrints()
    prints.note(0, module, held_state(module))
    with torch.no_grad():
        module.fc.weight.zero_()
    prints.look(0, module)
    assert prints.lines() == ["parameters.fc.weight\t"]


class Shadowed(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.inner = torch.nn.BatchNorm1d(3)
        kept: Any = {}
        self.buffers = self.parameters = self.modules = self.children = kept


def test_attributes_of_a_kernel_hide_nothing() -> None:
    module = Shadowed()
    assert [p.shape for p in parameters_of(module)] == [(3,), (3,)]
    names = ("running_mean", "running_var", "num_batches_tracked")
    assert list(buffers_of(module)) == [f"inner.{name}" for name in names]
    assert parts_of(module) == [module, module.inner]


def test_what_is_no_module_has_none() -> None:
    assert not parameters_of(len) and not buffers_of(len) and not parts_of(len)
