from __future__ import annotations

import pytest
import torch

from assay.errors import UsageError
from assay.workbench.models.applied_model import Replacement, applied_text
from assay.workbench.models.hot_report import (
    ForwardCode,
    GroupKind,
    HotGroup,
    Occurrence,
    Statement,
)

MODEL = """
import torch

width = 4

class Model(torch.nn.Module):
    def __init__(self, width):
        super().__init__()
        self.weight = torch.nn.Parameter(torch.full((width,), 2.0))

    def forward(self, x):
        if self.training:
            return x
        a = x * self.weight
        b = torch.relu(a)
        return b + a.sum()

def get_inputs():
    return [torch.randn(3, width)]

def get_init_inputs():
    return [width]
"""
KERNEL = """
import torch

class ModelNew(torch.nn.Module):
    def forward(self, x, weight):
        a = x * weight
        return a, torch.relu(a)
"""
FORWARD = ForwardCode(
    arguments=("x",),
    statements=(
        Statement(makes="weight", text="self.weight"),
        Statement(makes="a", text="x * weight", uses=("x", "weight")),
        Statement(makes="total", text="a.sum()", uses=("a",)),
        Statement(makes="b", text="torch.relu(a)", uses=("a",)),
        Statement(makes="out", text="b + total", uses=("b", "total")),
    ),
    result="out",
    result_uses=("out",),
    made_with="[4]",
)


def group(*places: Occurrence) -> HotGroup:
    return HotGroup(
        label="mul + relu",
        kind=GroupKind.FUSION,
        operations=("aten::mul", "aten::relu"),
        inputs=(),
        calls=1,
        time_us=10.0,
        share=0.5,
        occurrences=places,
        task="m_mul_relu",
    )


PLACE = Occurrence(nodes=("a", "b"), inputs=("x", "weight"), outputs=("a", "b"))


def test_the_patched_model_computes_the_same_and_calls_the_kernel() -> None:
    text = applied_text(MODEL, "Model", FORWARD, [Replacement(group(PLACE), KERNEL)])
    scope: dict[str, object] = {}
    exec(text, scope)
    x = torch.tensor([[1.0, -1.0, 2.0, -3.0]])
    model = scope["Model"](4).eval()  # type: ignore[operator]
    patched = scope["ModelNew"](4).eval()  # type: ignore[operator]
    assert torch.equal(patched(x), model(x))
    assert list(patched.state_dict()) == list(model.state_dict())
    assert torch.equal(patched.train()(x), x)
    assert "get_inputs" not in text
    calls = []
    patched.eval().kernel_0.register_forward_hook(lambda *_: calls.append(1))
    patched(x)
    assert len(calls) == 1


def test_made_with_other_arguments_it_is_the_model_itself() -> None:
    text = applied_text(MODEL, "Model", FORWARD, [Replacement(group(PLACE), KERNEL)])
    scope: dict[str, object] = {}
    exec(text, scope)
    patched = scope["ModelNew"](3).eval()  # type: ignore[operator]
    patched.kernel_0.register_forward_hook(lambda *_: pytest.fail("a kernel ran"))
    assert patched(torch.ones(2, 3)).shape == (2, 3)


def test_an_order_that_does_not_exist_is_told() -> None:
    unknown = Occurrence(nodes=("a", "b"), inputs=("x", "out"), outputs=("a", "b"))
    with pytest.raises(UsageError, match="order"):
        applied_text(MODEL, "Model", FORWARD, [Replacement(group(unknown), KERNEL)])


def test_a_value_is_released_after_its_last_use() -> None:
    """As in the model's own forward; else every result would lie in memory that no cache holds."""
    text = applied_text(MODEL, "Model", FORWARD, [Replacement(group(PLACE), KERNEL)])
    lines = [one.strip() for one in text.splitlines()]
    after = lines.index("total = a.sum()")
    assert lines[after + 1] == "del a"
    assert lines[-2:] == ["del b, total", "return out"] or lines[-2:] == [
        "del total, b",
        "return out",
    ]
