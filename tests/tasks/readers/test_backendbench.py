"""BackendBench: traced calls as tasks, an operator's folder as its answers."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from assay.tasks.catalog import candidate_at, candidates_of, resolve, tasks_of, unread_of
from assay.tasks.readers.traced_call import traced_call
from tasks.readers.foreign_module import entry_of, instance, module_of

TRACE = """Operator: aten.add.Tensor
cnt: 12, ((T([2, 3], f32), T([3], f32)), {'alpha': 2})
cnt: 0, ((T([2, 3], f16, [1, 2]), 1.5), {})
cnt: 1, ((T([2], f128), 1), {})
Operator: aten.cat.default
cnt: 4, (([T([2, 3], i64), T([1, 3], i64)],), {})
cnt: 4, ((__import__('os'), T([1], b8)), {})
Operator: aten.zeros.default
cnt: 1, (([2, 3],), {'dtype': f32, 'device': 'cuda'})
Operator: prims.add
cnt: 1, ((T([2], f32),), {})
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "trace.txt").write_text(TRACE)
    for name in ("add__Tensor", "mul__Tensor"):
        folder = tmp_path / "kernels" / name
        folder.mkdir(parents=True)
        (folder / f"{name}_implementation_v1.py").write_text(
            f"def {name}_kernel_impl(a, b, *, alpha=1):\n    return a + alpha * b\n"
        )
    return tmp_path


def test_every_call_is_a_task(place: Path) -> None:
    tasks = tasks_of(f"backendbench:{place}")
    assert [t.id for t in tasks] == ["aten.add.Tensor", "aten.add.Tensor@1", "aten.cat.default"]
    assert [t.tags for t in tasks] == [("traced",), ("synthetic",), ("traced",)]
    add, strided, cat = (module_of(task.source) for task in tasks)
    a, b = add.get_inputs()
    assert torch.equal(add.Model()(a, b), a + 2 * b)
    (a,) = strided.get_inputs()
    assert a.stride() == (1, 2) and a.dtype == torch.float16
    assert torch.equal(strided.Model()(a), a + 1.5)
    assert cat.Model()(*cat.get_inputs()).shape == (3, 3)


def test_words_of_a_trace() -> None:
    call = traced_call("((T([2], f32), -inf, th.int8, 'bf16', None, (1, [T([], b8)])), {'d': nan})")
    said = "tensor_0, float('-inf'), torch.int8, torch.bfloat16, None, (1, [tensor_1], )"
    assert call.arguments == f"{said}, d=float('nan')"


def test_what_gives_no_task_is_told(place: Path) -> None:
    whys = [one.why for one in unread_of(f"backendbench:{place}")]
    assert whys == [
        "aten.add.Tensor: the dtype f128 is not known",
        "aten.cat.default: the argument __import__('os') is not known",
        "aten.zeros.default: none of its arguments is a tensor",
        "prims.add: it is no ATen operator",
        "no traced call of this operator is there",
    ]


def test_an_answer_is_called_with_the_same_values(place: Path) -> None:
    name = f"backendbench:{place}#aten.add.Tensor"
    task = resolve(name)
    (path,) = candidates_of(name)
    made = instance(task, entry_of(candidate_at(path, task)), "ModelNew")
    a, b = module_of(task.source).get_inputs()
    assert torch.equal(made(a, b), a + 2 * b)
