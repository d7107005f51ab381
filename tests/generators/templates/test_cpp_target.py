"""C++ texts: compiled here, they compute what eager computes at own and at odd sizes."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.generators.templates.targets.cpp_target import CppTarget
from assay.tasks.catalog import resolve
from stored_graph import NAMES, assert_same_as_reference, loaded, stored_plan

QUICK = ("attention", "cross_entropy", "concatenate", "softmax_rows_bf16")


def _check(name: str, folder: Path) -> None:
    planned, target = stored_plan(name), CppTarget()
    candidate, task = folder / "kernel.py", folder / "task.py"
    candidate.write_text(target.text(planned, target.space(planned).default))
    task.write_text(resolve(name).source)
    assert_same_as_reference(task, candidate)


@pytest.mark.parametrize("name", QUICK)
def test_it_computes_what_eager_does(name: str, tmp_path: Path) -> None:
    _check(name, tmp_path)


@pytest.mark.exhaustive
@pytest.mark.parametrize("name", sorted(set(NAMES) - set(QUICK)))
def test_all_compute_what_eager_does(name: str, tmp_path: Path) -> None:
    _check(name, tmp_path)


def test_another_constant_is_refused(tmp_path: Path) -> None:
    """The epsilon of the trace stands in the kernel; a constructor may be given another one."""
    import torch

    planned, target = stored_plan("layernorm"), CppTarget()
    path = tmp_path / "kernel.py"
    path.write_text(target.text(planned, target.space(planned).default))
    made, given = loaded(path), torch.randn(5, 1024)
    assert made.ModelNew(1024)(given).shape == given.shape
    with pytest.raises(ValueError, match="constants"):
        made.ModelNew(1024, eps=1e-3)(given)


def test_another_shape_or_dtype_is_refused(tmp_path: Path) -> None:
    import torch

    planned, target = stored_plan("column_sum"), CppTarget()
    path = tmp_path / "kernel.py"
    path.write_text(target.text(planned, target.space(planned).default))
    model = loaded(path).ModelNew()
    assert torch.equal(model(torch.ones(3, 4)), torch.full((4,), 3.0))
    with pytest.raises(TypeError, match="float32"):
        model(torch.ones(3, 4, dtype=torch.float64))
    with pytest.raises((ValueError, IndexError)):
        model(torch.ones(3, 4, 5))
