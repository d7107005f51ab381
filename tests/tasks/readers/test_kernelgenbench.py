"""KernelGenBench: a labelled test becomes the call of an operator, an answer its function."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from assay.tasks.catalog import candidate_at, candidates_of, resolve, tasks_of, unread_of
from tasks.readers.foreign_module import entry_of, instance, module_of

HEAD = """import kernelgenbench
import torch
from sandbox.config import DEVICE as device
from sandbox.verifier.test_parametrize import label, parametrize

"""
ATEN = (
    HEAD
    + '''
@label("mm")
@parametrize("M, N, K", [(1, 1, 1), (4, 6, 8), (128, 128, 128)])
@parametrize("dtype", [torch.float16, torch.float32])
def test_accuracy_mm(M, N, K, dtype):
    """Products."""
    one = torch.randn((M, K), dtype=dtype, device=device)
    other = torch.randn((K, N), dtype=dtype, device=device)
    ref = torch.mm(to_reference(one), to_reference(other))
    with kernelgenbench.use_ops(REGISTERED_OPS):
        res = torch.mm(one, other)
    assert_close(res, ref)
'''
)
SCALED = (
    HEAD
    + """
@label("scaled")
@parametrize("n", [3, 5, 9])
@parametrize("alpha", [1.0, 0.5, 2.5])
def test_accuracy_scaled(n, alpha):
    x = torch.randn(n, device='cuda')
    ref_out = kernelgenbench.baseline.scaled(n, alpha, x)
    act_out = kernelgenbench.triton.scaled(n, alpha, x.clone())
    assert_close(act_out, ref_out)
"""
)


@pytest.fixture
def place(tmp_path: Path) -> Path:
    tests, baselines = tmp_path / "accuracy", tmp_path / "baseline" / "cublas"
    answers = tmp_path / "kernels"
    for folder in (tests, baselines, answers):
        folder.mkdir(parents=True)
    (tests / "test_mm.py").write_text(ATEN)
    (tests / "test_scaled.py").write_text(SCALED)
    (tests / "test_lost.py").write_text(SCALED.replace("scaled", "lost"))
    (tests / "test_listed.py").write_text(
        ATEN.replace("[(1, 1, 1), (4, 6, 8), (128, 128, 128)]", "MNK")
    )
    (tests / "test_method.py").write_text(
        ATEN.replace("res = torch.mm(one, other)", "res = one @ other")
    )
    (baselines / "scaled.py").write_text("def scaled(n, alpha, x):\n    return alpha * x[:n]\n")
    (answers / "aten__mm.py").write_text("def mm(a, b):\n    return a @ b\n")
    (answers / "cublas__scaled.py").write_text(
        "def scaled(n, alpha, x):\n    return x[:n] * alpha\n"
    )
    return tmp_path


def test_operators_are_tasks(place: Path) -> None:
    mm, scaled = tasks_of(f"kernelgenbench:{place}")
    assert (mm.id, mm.title, scaled.id) == ("mm", "Products.", "scaled")
    module = module_of(mm.source)
    one, other = module.get_inputs()
    assert (one.shape, other.shape, one.dtype) == ((4, 8), (8, 6), torch.float32)
    assert torch.equal(instance(mm, module)(one, other), one @ other)
    module = module_of(scaled.source)
    (x,) = module.get_inputs()
    assert x.shape == (5,) and module.get_init_inputs() == [5, 0.5]
    assert torch.equal(instance(scaled, module)(x), 0.5 * x)


def test_what_cannot_be_read_is_told(place: Path) -> None:
    assert sorted(one.why for one in unread_of(f"kernelgenbench:{place}")) == [
        "its parameter M, N, K comes from elsewhere: MNK",
        "no file of the baseline defines lost",
        "no function of torch is called under use_ops",
    ]


@pytest.mark.parametrize("operator", ["mm", "scaled"])
def test_an_answer_has_the_operators_name(place: Path, operator: str) -> None:
    name = f"kernelgenbench:{place}#{operator}"
    task = resolve(name)
    (path,) = candidates_of(name)
    made = instance(task, entry_of(candidate_at(path, task)), "ModelNew")
    inputs = module_of(task.source).get_inputs()
    expected = instance(task, module_of(task.source))(*inputs)
    assert torch.allclose(made(*inputs), expected)


def test_an_answer_may_have_the_name_of_torchs_function(place: Path) -> None:
    test = ATEN.replace('label("mm")', 'label("mm_4x8_8x6")')
    (place / "accuracy" / "test_mm.py").write_text(test)
    task = resolve(f"kernelgenbench:{place}#mm_4x8_8x6")
    candidate = candidate_at(place / "kernels" / "aten__mm.py", task)
    assert "from submission import mm\n" in candidate.main.text
