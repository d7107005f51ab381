"""Random calls: draws of a call, told apart from those of building and of making inputs."""

from __future__ import annotations

import ast

import pytest

from assay.tasks.random_calls import RandomCalls, last_name
from assay.tasks.readers.kernelbench import task_of_text
from assay.tasks.static_remarks import static_remarks

LSTM = """
import torch

def start(x):
    return torch.zeros_like(x)

class Model(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.w = torch.nn.Parameter(torch.randn(4))
        self._reset()

    def _reset(self):
        self.w.data.normal_()

    def forward(self, x, h0=None, c0=None):
        if h0 is None:
            h0 = torch.randn(4, device=x.device)
        if c0 is None:
            c0 = torch.randn(4, device=x.device)
        return x * self.w + h0 + c0

def generated(size):
    return torch.rand(size)

def test_it():
    return Model()(torch.rand(4))

def get_inputs():
    return [generated(4){more}]

def get_init_inputs():
    return []
"""


def found(text: str) -> RandomCalls:
    return RandomCalls(ast.parse(text))


def test_a_state_that_is_drawn_in_every_call_is_told_with_its_mend() -> None:
    text = LSTM.format(more="")
    assert found(text).absent_inputs == ("h0", "c0")
    (remark,) = static_remarks(task_of_text(text))
    assert "forward draws h0 and c0 in every call" in remark
    assert "mend it by returning them from get_inputs" in remark


def test_the_mend_removes_the_remark() -> None:
    text = LSTM.format(more=", torch.rand(4), torch.rand(4)")
    assert found(text).draws == [] and found(text).absent_inputs == ()
    assert static_remarks(task_of_text(text)) == ()


def test_half_of_the_mend_leaves_the_other() -> None:
    assert found(LSTM.format(more=", torch.rand(4)")).absent_inputs == ("c0",)


@pytest.mark.parametrize(
    ("result", "drawn"),
    [
        ("torch.rand_like(x)", "rand_like"),
        ("x.clone().uniform_()", "uniform_"),
        ("torch.nn.functional.dropout(x)", "dropout"),
        ("start(x)", "poisson"),
    ],
)
def test_a_draw_inside_the_call_is_found(result: str, drawn: str) -> None:
    text = LSTM.format(more=", 1, 1").replace("x * self.w + h0 + c0", result)
    if result == "start(x)":
        text = text.replace("torch.zeros_like", "torch.poisson")
    assert [last_name(call.func) for call in found(text).draws] == [drawn]


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        ("dropped(x, rate=0.0)", "dropout is switched off"),
        ("dropped(x, training=False)", "dropout is switched off"),
        ("dropped(x, rate=0.1)", "its answer is random"),
    ],
)
def test_dropout_that_the_call_switches_off_is_told_as_that(asked: str, told: str) -> None:
    text = LSTM.format(more=", 1, 1").replace("x * self.w + h0 + c0", asked)
    dropped = (
        "def dropped(x, rate=0.5, training=True):\n"
        "    return torch.nn.functional.dropout(x, p=rate, training=training)\n"
    )
    text = text.replace("def start", f"{dropped}\ndef start")
    assert any(told in remark for remark in static_remarks(task_of_text(text)))
