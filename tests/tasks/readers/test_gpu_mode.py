"""GPU MODE: cases as tasks, files that import each other, a submission beside them."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest
import torch

from assay.tasks.catalog import candidate_at, candidates_of, resolve, tasks_of, unread_of
from assay.tasks.readers.answer_memory import answer_memory
from assay.tasks.readers.cpu_text import on_cpu
from tasks.readers.foreign_module import entry_of, instance, module_of

TASK = """files:
  - {"name": "submission.py", "source": "@SUBMISSION@"}
  - {"name": "task.py", "source": "task.py"}
  - {"name": "utils.py", "source": "../utils.py"}
  - {"name": "reference.py", "source": "reference.py"}
  - {"name": "eval.py", "source": "../eval.py"}
lang: "py"
description: |
  Adds two vectors.
  In one line.
config:
  main: "eval.py"
tests:
  - {"size": 3, "seed": 1}
benchmarks:
  - {"size": 8, "seed": 2}
  - {"size": 16, "seed": 3}
"""
REFERENCE = """import torch
from utils import (
    match,
)
from task import input_t, output_t


def generate_input(size: int, seed: int) -> input_t:
    gen = torch.Generator(device="cuda")
    gen.manual_seed(seed)
    a = torch.rand(size, device='cuda', generator=gen)
    return a, torch.ones(size).cuda(), torch.empty_like(a)


def ref_kernel(data: input_t) -> output_t:
    a, b, out = data  # "cuda" stays here
    out[...] = a + b
    return out


check_implementation = match(ref_kernel)
"""
SUBMISSION = """#!POPCORN leaderboard add
from task import input_t, output_t


def custom_kernel(data: input_t) -> output_t:
    a, b, out = data
    out[...] = b + a
    return out
"""


@pytest.fixture
def place(tmp_path: Path) -> Path:
    folder = tmp_path / "problems" / "add_py"
    (folder / "solutions" / "wrong").mkdir(parents=True)
    (folder / "task.yml").write_text(TASK)
    (folder / "reference.py").write_text(REFERENCE)
    (folder / "task.py").write_text("input_t = tuple[float, ...]\noutput_t = float\n")
    (folder.parent / "utils.py").write_text("def match(function):\n    return function\n")
    (folder / "submission.py").write_text(SUBMISSION)
    (folder / "solutions" / "wrong" / "empty.py").write_text("")
    return tmp_path


def test_cases_are_tasks_benchmarks_first(place: Path) -> None:
    tasks = tasks_of(f"gpu_mode:{place}")
    assert [(t.id, t.tags) for t in tasks] == [
        ("add_py", ("benchmark",)),
        ("add_py@1", ("benchmark",)),
        ("add_py@2", ("test",)),
    ]
    assert tasks[0].title == "Adds two vectors."
    modules = [module_of(task.source) for task in tasks]
    assert [module.get_inputs()[0].numel() for module in modules] == [8, 16, 3]
    first, second = modules[0].get_inputs(), modules[0].get_inputs()
    assert not torch.equal(first[0], second[0])  # the seed is drawn, not fixed
    made = instance(tasks[0], modules[0])(*first)
    assert torch.equal(made, first[0] + 1)


def test_a_submission_has_the_files_that_it_imports(place: Path) -> None:
    name = f"gpu_mode:{place}#add_py"
    task = resolve(name)
    wrong, path = candidates_of(name)
    assert (wrong.name, path.name) == ("empty.py", "submission.py")
    candidate = candidate_at(path, task)
    assert [file.path for file in candidate.sources] == ["entry.py", "submission.py", "task.py"]
    assert candidate.sources[1].text == SUBMISSION
    plain = candidate.sources[1].model_copy(
        update={"text": SUBMISSION.replace("from task import", "input_t, output_t = 1, 2  #")}
    )
    changed = candidate.model_copy(update={"sources": (candidate.main, plain)})
    inputs = module_of(task.source).get_inputs()
    made = instance(task, entry_of(changed), "ModelNew")(*inputs)
    assert torch.equal(made, inputs[0] + 1)


@pytest.mark.parametrize(
    ("file", "text", "why"),
    [
        ("task.yml", TASK.replace('lang: "py"', "lang: cu"), "its reference is in cu"),
        ("task.yml", TASK + "multi_gpu: true\n", "several GPUs"),
        ("task.yml", TASK.split("tests:")[0], "task.yml has no case"),
        ("task.yml", TASK.replace('"size": 3', '"width": 3'), "does not take width"),
        ("task.yml", "a: [", "not YAML"),
        ("reference.py", "def ref_kernel(data): ...\n", "no generate_input"),
        ("reference.py", "def (", "reference.py is not Python"),
    ],
)
def test_what_cannot_be_read_is_told(place: Path, file: str, text: str, why: str) -> None:
    (place / "problems" / "add_py" / file).write_text(text)
    (left,) = unread_of(f"gpu_mode:{place}")
    assert why in left.why


def test_memory_for_an_answer_is_made_for_each_call_and_says_its_dtype(place: Path) -> None:
    wide = REFERENCE.replace("    out[...] = a + b\n    return out", "    return a.double() + b")
    (place / "problems" / "add_py" / "reference.py").write_text(wide)
    task = resolve(f"gpu_mode:{place}#add_py")
    candidate = candidate_at(place / "problems" / "add_py" / "submission.py", task)
    plain = SUBMISSION.replace("from task import", "input_t, output_t = 1, 2  #")
    alone = candidate.sources[1].model_copy(update={"text": plain})
    entry = entry_of(candidate.model_copy(update={"sources": (candidate.main, alone)}))
    reference, inputs = instance(task, module_of(task.source)), module_of(task.source).get_inputs()
    memory = inputs[2].fill_(7.0)
    for made in (reference(*inputs), instance(task, entry, "ModelNew")(*inputs)):
        assert made.dtype is torch.float32 and torch.equal(made, inputs[0] + 1)
        assert made.data_ptr() != memory.data_ptr() and bool((memory == 7.0).all())


@pytest.mark.parametrize(
    ("body", "found"),
    [
        ("c = torch.empty(3).contiguous()\n    return a, c", (False, True)),
        ("return a, torch.empty_like(a)", (False, True)),
        ("c = torch.empty(3)\n    c.uniform_()\n    return a, c", (False, False)),
        ("c = torch.zeros(3)\n    return a, c", (False, False)),
        ("return torch.empty(3)", ()),
    ],
)
def test_memory_is_what_is_made_empty_and_not_touched(body: str, found: tuple[bool, ...]) -> None:
    (function,) = ast.parse(f"def generate_input(a):\n    {body}\n").body
    assert isinstance(function, ast.FunctionDef)
    assert answer_memory(function) == found


def test_only_devices_are_replaced() -> None:
    text = "é = f('cuda'); x = torch.zeros(3, device='cuda:0').to('cuda')  # cuda\ny = x.cuda()\n"
    made = "é = f('cuda'); x = torch.zeros(3, device='cpu').to('cpu')  # cuda\ny = x.cpu()\n"
    assert on_cpu(text) == made
