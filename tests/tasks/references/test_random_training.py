"""Which references are asked in eval mode because training mode is random."""

from __future__ import annotations

import pytest

from assay.data.contract import Law, Stochastic
from assay.data.task import Task
from assay.tasks.references.reference import Reference

SOURCE = """
import torch
from torch import nn


class Model(nn.Module):
    def __init__(self):
        super().__init__()
        self.linear = nn.Linear(8, 8)
        self.layer = {layer}

    def forward(self, x):
        return {result}


def get_inputs():
    return [torch.rand(4, 8)]


def get_init_inputs():
    return []
"""


def reference(layer: str, result: str = "self.layer(self.linear(x))") -> Reference:
    return Reference(
        Task(
            id="drop",
            title="",
            format="kernelbench",
            source=SOURCE.format(layer=layer, result=result),
        )
    )


@pytest.mark.parametrize(
    ("layer", "result", "asked_in_eval"),
    [
        ("nn.Dropout(0.3)", "self.layer(self.linear(x))", True),
        ("nn.RReLU()", "self.layer(self.linear(x))", True),
        ("nn.Dropout(0.0)", "self.layer(self.linear(x))", False),
        ("nn.Dropout(0.3).eval()", "self.layer(self.linear(x))", False),
        ("nn.ReLU()", "self.layer(self.linear(x))", False),
        # random in both modes: nothing can be asked of it
        ("nn.ReLU()", "torch.dropout(self.linear(x), 0.3, train=True)", False),
    ],
)
def test_found_by_trying(layer: str, result: str, asked_in_eval: bool) -> None:
    tried = reference(layer, result)
    assert tried.asked_in_eval is asked_in_eval
    assert tried.construct({}, 0).training is not asked_in_eval


def test_such_a_reference_repeats_itself() -> None:
    tried = reference("nn.Dropout(0.3)")
    bound = tried.bind({}, 0)
    assert bound.repeats(tried.draw(tried.own_workload(), 1), dict(bound.module.state_dict()))


def test_a_task_that_declares_its_law_keeps_its_mode() -> None:
    source = SOURCE.format(layer="nn.Dropout(0.3)", result="self.layer(x)")
    law = Stochastic(law=Law.DROPOUT, rate=0.3)
    assert not Reference(
        Task(id="drop", title="", format="kernelbench", source=source, contract=law)
    ).asked_in_eval
