"""Parameters: computed with, and left as they are."""

from __future__ import annotations

import torch

from assay.sandbox.child.untouched.parameter_prints import ParameterPrints


def test_a_parameter_that_a_call_changes_is_named_once() -> None:
    module, prints = torch.nn.Linear(6, 6), ParameterPrints()
    prints.note(0, module, module.state_dict())
    for _ in range(2):
        prints.look(0, module)
    assert prints.lines() == []
    with torch.no_grad():
        module.weight.copy_(module.weight.t().clone())
    prints.look(0, module, small_only=True)
    with torch.no_grad():
        module.weight.copy_(module.weight.t().clone())
    prints.look(0, module)
    assert prints.lines() == ["parameters.weight\t"]


def test_buffers_that_the_reference_changes_and_other_layouts_are_no_change() -> None:
    module, prints = torch.nn.BatchNorm1d(6), ParameterPrints()
    prints.look(3, module)
    prints.note(0, module, module.state_dict())
    prints.leave_out(name for name, _ in module.named_buffers())
    module(torch.randn(8, 6))
    prints.look(0, module)
    linear = torch.nn.Linear(6, 4)
    prints.note(1, linear, linear.state_dict())
    linear.weight.data = linear.weight.data.t().contiguous().t()
    prints.look(1, linear)
    prints.note(2, print, [])
    prints.look(2, print)
    assert prints.lines() == []


def test_a_buffer_that_the_reference_leaves_alone_is_one() -> None:
    module, prints = torch.nn.BatchNorm1d(6), ParameterPrints()
    prints.note(0, module, module.state_dict())
    module(torch.randn(8, 6))
    prints.look(0, module)
    assert "parameters.running_mean\t" in prints.lines()


def test_what_a_module_keeps_for_itself_may_change() -> None:
    module, prints = torch.nn.Linear(6, 6), ParameterPrints()
    module.register_buffer("packed", torch.zeros(6, 6))
    prints.note(0, module, ["weight", "bias"])
    module.packed.add_(1.0)
    prints.look(0, module)
    assert prints.lines() == []
