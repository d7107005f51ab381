"""The plain format: a function, its shapes, and candidates that define the same function."""

from __future__ import annotations

from pathlib import Path

import pytest
import torch

from assay.errors import UsageError
from assay.tasks.catalog import candidate_at, candidates_of, resolve, tasks_of, unread_of
from tasks.readers.foreign_module import entry_of, instance, module_of

TEXT = '''"""Scaled rows."""
import torch

rows, columns = 4, 6
SHAPES = {"x": ("rows", 6), "w": ("columns",), "i": ("rows",)}
DTYPES = {"x": "float16", "i": "int64"}
RANGES = {"i": (0, 4)}


def picked(x: torch.Tensor, w: torch.Tensor, scale: float = 2.5, *, i: torch.Tensor):
    """Picks rows and scales them."""
    return x[i] * w * scale
'''


@pytest.fixture
def place(tmp_path: Path) -> Path:
    (tmp_path / "picked.py").write_text(TEXT)
    (tmp_path / "picked__mine.py").write_text(
        "def picked(x, w, scale=1.0, *, i):\n    return scale * w * x[i]\n"
    )
    (tmp_path / "notes.py").write_text("x = 1\n")
    return tmp_path


def test_a_function_with_shapes_is_a_task(place: Path) -> None:
    (task,) = tasks_of(f"plain:{place}")
    assert (task.id, task.title) == ("picked", "Picks rows and scales them.")
    assert task.source.startswith(TEXT.strip())
    module = module_of(task.source)
    x, w, i = module.get_inputs()
    assert (x.dtype, x.shape, w.shape, i.dtype) == (torch.float16, (4, 6), (6,), torch.int64)
    assert module.get_init_inputs() == [2.5]
    assert torch.equal(instance(task, module)(x, w, i), x[i] * w * 2.5)
    assert resolve(f"plain:{place / 'picked.py'}") == task


def test_a_candidate_defines_the_same_function(place: Path) -> None:
    name = f"plain:{place}#picked"
    task = resolve(name)
    (path,) = candidates_of(name)
    made = instance(task, entry_of(candidate_at(path, task)), "ModelNew")
    x, w, i = module_of(task.source).get_inputs()
    assert torch.allclose(made(x, w, i), x[i] * w * 2.5)


def test_a_list_of_shapes_is_a_task_each(tmp_path: Path) -> None:
    text = 'SHAPES = [{"x": (2,)}, {"x": (3, 4)}]\n\ndef same(x):\n    return x\n'
    (tmp_path / "same.py").write_text(text)
    tasks = tasks_of(f"plain:{tmp_path}")
    assert [task.id for task in tasks] == ["same", "same@1"]
    assert module_of(tasks[1].source).get_inputs()[0].shape == (3, 4)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ('SHAPES = {"x": (2,)}\n', "one function takes x; here it is none"),
        ('SHAPES = {"x": (2,)}\ndef f(x, y): ...\n', "y is not in SHAPES and has no default"),
        ('SHAPES = {"x": ("n",)}\ndef f(x): ...\n', "'n' of 'x' is no size"),
        ("SHAPES = 3\ndef f(x): ...\n", "SHAPES is no dict of shapes"),
        ('SHAPES = {"x": (2,)}\ndef f(x:\n', "it is not Python"),
    ],
)
def test_what_is_wrong_is_told(tmp_path: Path, text: str, why: str) -> None:
    (tmp_path / "one.py").write_text(text)
    (left,) = unread_of(f"plain:{tmp_path}")
    assert why in left.why


def test_a_file_without_shapes_is_told_how(tmp_path: Path) -> None:
    (tmp_path / "one.py").write_text("def f(x): ...\n")
    with pytest.raises(UsageError, match="has no literal SHAPES"):
        resolve(f"plain:{tmp_path / 'one.py'}")
