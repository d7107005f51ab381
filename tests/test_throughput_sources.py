"""The sources of `benchmarks/throughput.py`: each is new, and right at small shapes."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from machine_watch import TreeMemory, tree
from throughput_sources.cpp_sources import FAMILIES as CPP
from throughput_sources.cpp_sources import cpp_sources
from throughput_sources.cuda_sources import cuda_sources
from throughput_sources.generated import Generated
from throughput_sources.triton_sources import triton_sources

from assay.languages.candidate_file import candidate_of_text
from assay.languages.cpp_source import python_module
from assay.pipeline import task_of

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"
SMALL = {"rows": 5, "cols": 300, "features": 300, "classes": 300, "M": 33, "K": 47, "N": 65}
SMALL |= {"batch": 3, "in_features": 70, "out_features": 37, "heads": 2, "length": 9, "head_dim": 8}


@pytest.mark.parametrize(
    ("made", "language", "tasks"),
    [(triton_sources, "triton", 8), (cuda_sources, "cuda", 4), (cpp_sources, "cpp_source", 10)],
)
def test_each_source_is_new_and_the_seed_repeats_it(made: Any, language: str, tasks: int) -> None:
    first = made(1, 80)
    assert len({one.text for one in first}) == len({one.name for one in first}) == 80
    assert made(1, 80) == first
    assert not {one.text for one in first} & {one.text for one in made(2, 80)}
    assert len({one.task for one in first}) == tasks
    assert {candidate_of_text(one.text).language for one in first} == {language}


def _loaded(path: Path, text: str) -> Any:
    path.write_text(text)
    spec = importlib.util.spec_from_file_location(path.stem, path)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def _check(source: Generated, text: str, folder: Path) -> None:
    import torch

    task_text = task_of(source.task).source.replace("rows, cols = 256, 1024", "rows, cols = 5, 300")
    for name, size in SMALL.items():
        task_text = re.sub(rf"^{name} = \d+$", f"{name} = {size}", task_text, flags=re.MULTILINE)
    task = _loaded(folder / f"task_{source.name}.py", task_text)
    kernel = _loaded(folder / f"{source.name}.py", text)
    torch.manual_seed(0)
    reference = task.Model(*task.get_init_inputs())
    torch.manual_seed(0)
    new = kernel.ModelNew(*task.get_init_inputs())
    inputs = task.get_inputs()
    with torch.no_grad():
        expected, got = reference(*inputs), new(*inputs)
    torch.testing.assert_close(got, expected, rtol=1e-5, atol=1e-5)


def _check_triton(folder: Path) -> None:
    for source in triton_sources(7, 8):
        _check(source, source.text, folder)


@pytest.mark.exhaustive
def test_triton_sources_are_right_in_the_interpreter(tmp_path: Path) -> None:
    """In a process of its own: whether Triton interprets is decided when it is imported."""
    code = f"import sys; sys.path[:0] = {[str(Path(__file__).parent), str(BENCHMARKS)]!r}\n"
    code += "from pathlib import Path\nimport test_throughput_sources as here\n"
    code += f"here._check_triton(Path({str(tmp_path)!r}))"
    env = os.environ | {"TRITON_INTERPRET": "1"}
    done = subprocess.run(
        [sys.executable, "-c", code], env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr[-3000:]


@pytest.mark.exhaustive
@pytest.mark.parametrize("number", range(len(CPP)))
def test_cpp_sources_are_right(number: int, tmp_path: Path) -> None:
    source = cpp_sources(7, len(CPP))[number]
    _check(source, python_module(candidate_of_text(source.text)), tmp_path)


def test_the_memory_of_a_tree_counts_its_children() -> None:
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    try:
        assert child.pid in tree(os.getpid())
        with TreeMemory(every_s=0.01) as memory:
            while not memory.largest_bytes:
                pass
        assert memory.largest_bytes > memory.own_bytes > 0
    finally:
        child.communicate(b"\n")
