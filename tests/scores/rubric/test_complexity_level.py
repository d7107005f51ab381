from __future__ import annotations

import pytest

from assay.scores.rubric.complexity_level import complexity_level
from assay.tasks.catalog import tasks_of
from assay.tasks.readers.native_suite import native_ids

HEAD = """
import math
import torch
import torch.nn as nn
import torch.nn.functional as F
class Model(nn.Module):
    def forward(self, x, y):
        {body}
def get_inputs():
    return [torch.matmul(torch.rand(2, 2), torch.rand(2, 2))]
"""


@pytest.mark.parametrize(
    ("body", "level"),
    [
        ("return x * y + 1", 1),
        ("return torch.relu(x).sum(-1)", 1),
        ("return F.gelu(x + y)", 1),
        ("return x.sum(dim=1, keepdim=True)", 1),
        ("return x / x.sum(dim=1, keepdim=True)", 2),
        ("return torch.softmax(x, -1)", 2),
        ("return F.layer_norm(x, x.shape[1:])", 2),
        ("return torch.cumsum(x, -1)", 2),
        ("return x @ y", 3),
        ("return F.relu(F.conv2d(x, y))", 3),
        ("return torch.softmax(torch.bmm(x, y), -1)", 3),
        ("return F.scaled_dot_product_attention(x, y, y)", 3),
        ("return torch.matmul(x.to(torch.float8_e4m3fn).float(), y)", 4),
        ("return torch.linalg.qr(x)", 4),
        ("return torch.nn.attention.flex_attention.flex_attention(x, y, y)", 4),
    ],
)
def test_each_level(body: str, level: int) -> None:
    found = complexity_level((), HEAD.format(body=body))
    assert found.level == level, found.evidence
    assert "line 8" in found.evidence


def test_layers_count_where_they_are_made() -> None:
    text = "import torch.nn as nn\nclass Model(nn.Module):\n    def __init__(self):\n"
    text += "        self.a = nn.Conv2d(3, 3, 1)\n        self.b = nn.BatchNorm2d(3)\n"
    assert complexity_level((), text).level == 3


def test_the_task_is_believed() -> None:
    found = complexity_level(("category:Math", "rubric:K2"), HEAD.format(body="return x @ y"))
    assert (found.level, found.evidence) == (2, "the task states rubric:K2")


@pytest.mark.parametrize(
    ("source", "why"),
    [
        (HEAD.format(body="return torch.of_the_future(x)"), "torch.of_the_future (reference line"),
        ("class Model: ...", "no operation"),
        ("class Model(", "not Python"),
    ],
)
def test_what_is_in_no_list_is_unknown(source: str, why: str) -> None:
    found = complexity_level((), source)
    assert found.level is None and why in found.evidence


def test_an_unlisted_operation_beside_a_product_does_not_hide_it() -> None:
    found = complexity_level((), HEAD.format(body="return torch.of_the_future(x) @ y"))
    assert found.level == 3


def test_every_native_task_has_a_level() -> None:
    levels = {
        task.id: complexity_level(task.tags, task.source).level for task in tasks_of("native")
    }
    assert levels["gelu"] == 1 and levels["softmax"] == 2 and levels["matmul"] == 3
    assert levels["qr"] == 4 and None not in levels.values()


def test_what_a_reference_computes_agrees_with_what_native_tasks_state() -> None:
    """Read without tags, the sources show the level they state, but for a few named ones."""
    alone = set(native_ids())  # a family states levels by what its tasks are made of, too
    for task in (one for one in tasks_of("native") if one.id.partition(".")[0] in alone):
        stated = complexity_level(task.tags, task.source).level
        read = complexity_level((), task.source).level
        assert read in (stated, None) or task.id.partition(".")[0] in {
            "adamw_steps", "sgd_in_place", "row_argmax", "linear_w8a8",
        }, (task.id, stated, read)  # fmt: skip
