"""Near-identical tasks are one group, and a group is held out whole."""

from __future__ import annotations

import pytest

from assay.scores.graded import GradedTask
from assay.scores.pairs.task_groups import is_held_out, plain_name, task_groups, token_runs
from graded_samples import entry

SOURCE = '''
import torch

class Model(torch.nn.Module):
    """{note}"""
    def forward(self, {x}):
        shifted = {x} - {x}.amax(dim=-1, keepdim=True)  # {note}
        return torch.{operation}(shifted, dim=-1) / {number}

def get_inputs():
    return [torch.rand({number}, 64)]
'''


def task(name: str, operation: str = "softmax", **words: object) -> GradedTask:
    given = {"note": "one", "x": "x", "number": 16} | words
    return GradedTask(name, source=SOURCE.format(operation=operation, **given))


def test_other_numbers_names_and_comments_make_no_other_task() -> None:
    tasks = [task("a"), task("b", note="two", x="values", number=4096), task("c", "cumsum")]
    found = task_groups(tasks, [])
    assert found["a"] == found["b"] != found["c"]


def test_the_gradient_and_another_dtype_go_with_their_task() -> None:
    names = ["Math/gelu.py", "gelu.backward", "Activation/gelu_bf16.py", "geglu"]
    tasks = [GradedTask(name, source=f"torch.op{i}(x)") for i, name in enumerate(names)]
    found = task_groups(tasks, [])
    assert len({found[name] for name in names[:3]}) == 1
    assert found["geglu"] != found["gelu.backward"]


def test_a_shared_candidate_joins_tasks_and_joining_is_transitive() -> None:
    tasks = [GradedTask(name, source=f"torch.{name}(x)") for name in ("a", "b", "c", "d")]
    entries = [
        entry("a", candidate_id="k1"),
        entry("b", candidate_id="k1"),
        entry("b", candidate_id="k2"),
        entry("c", candidate_id="k3", parents=("k2",)),
        entry("d", candidate_id="k4"),
    ]
    found = task_groups(tasks, entries)
    assert found["a"] == found["b"] == found["c"] != found["d"]


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("Math/exp.py", "exp"),
        ("softmax.backward", "softmax"),
        ("matmul_fp16", "matmul"),
        ("kernelbench:dir#level1/19_ReLU", "19_relu"),
        ("matmul_w8a8", "matmul_w8a8"),
    ],
)
def test_plain_names(name: str, plain: str) -> None:
    assert plain_name(name) == plain


def test_a_share_of_groups_is_held_out_by_the_seed_alone() -> None:
    names = [f"{number:016x}" for number in range(2000)]
    held = {seed: {n for n in names if is_held_out(n, 0.2, seed)} for seed in (0, 1)}
    assert 0.15 < len(held[0]) / len(names) < 0.25
    assert held[0] != held[1]
    assert not any(is_held_out(name, 0.0, 0) for name in names)
    assert all(is_held_out(name, 1.0, 0) for name in names)


def test_a_larger_share_keeps_what_was_held_out() -> None:
    names = [str(number) for number in range(300)]
    small, large = ({n for n in names if is_held_out(n, s, 3)} for s in (0.1, 0.5))
    assert small < large


def test_short_and_empty_sources_have_runs_of_what_they_hold() -> None:
    assert token_runs("") == frozenset()
    assert len(token_runs("a + b")) == 1
