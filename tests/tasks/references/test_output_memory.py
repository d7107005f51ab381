"""What a reference itself returns decides whether outputs may share memory."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest
import torch
from torch import nn

from assay.tasks.references.output_memory import outputs_apart


class _Module(nn.Module):
    def __init__(self, function: Callable[[torch.Tensor], Any]) -> None:
        super().__init__()
        self._function = function

    def forward(self, x: torch.Tensor) -> Any:
        return self._function(x)


@pytest.mark.parametrize(
    ("function", "apart"),
    [
        (lambda x: (x + 1, x + 2), True),
        (lambda x: x.view(-1), False),
        (lambda x: (x + 1).chunk(2), False),
        (lambda x: [x.exp()] * 2, False),
        (lambda x: 1.5, True),
    ],
)
def test_outputs_of_a_function(function: Callable[[torch.Tensor], Any], apart: bool) -> None:
    assert outputs_apart(_Module(function), [torch.ones(4, 4)]) is apart


def test_a_mode_in_which_the_input_is_returned_counts() -> None:
    module = nn.Dropout(0.5)
    assert module.training and not outputs_apart(module, [torch.ones(4)])


def test_a_parameter_that_is_returned() -> None:
    class Returned(nn.Module):
        def __init__(self) -> None:
            super().__init__()
            self.weight = nn.Parameter(torch.ones(3))

        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return self.weight

    assert not outputs_apart(Returned(), [torch.ones(3)])


def test_a_result_that_is_expanded() -> None:
    class Expanded(nn.Module):
        def forward(self, x: torch.Tensor) -> torch.Tensor:
            return x.sum().expand(4, 4)

    assert not outputs_apart(Expanded(), [torch.ones(3)])
