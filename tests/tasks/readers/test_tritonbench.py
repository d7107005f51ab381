"""TritonBench: both halves, and predictions whose task is found by what was asked for."""

from __future__ import annotations

import os
from pathlib import Path

import torch

from assay.tasks.catalog import prediction_of, resolve, tasks_of
from assay.tasks.readers.split_file import SEPARATOR
from tasks.readers.foreign_module import instance, module_of
from tasks.readers.split_files import SCALED, write_benchmark


def _write(root: Path, half: str) -> Path:
    scripts = f"performance_metrics/perf_{half}/golden_metrics"
    return write_benchmark(root, f"data/TritonBench_{half}_v1", scripts)


def test_each_half_has_its_own_tasks(tmp_path: Path) -> None:
    for half in ("G", "T"):
        _write(tmp_path, half)
        tasks = tasks_of(f"tritonbench_{half.lower()}:{tmp_path}")
        assert [task.id for task in tasks] == ["row_gather", "scaled_tanh"]
        assert all(f"TritonBench_{half}_v1" in task.origin for task in tasks)


def test_a_prompt_names_the_function(tmp_path: Path) -> None:
    tasks = tasks_of(f"tritonbench_t:{_write(tmp_path, 'T')}")
    asked = "Functional Description: ...\nWrapper Entry Information: scaled_tanh(input, scale=1.0)"
    found = prediction_of({"instruction": asked, "predict": "x = 1"}, tasks)
    assert found is not None and (found.task, found.source) == ("scaled_tanh", "x = 1")
    unknown = prediction_of({"prompt": "something else", "predict": "x = 1"}, tasks)
    assert unknown is not None and unknown.task == ""


def test_a_label_is_the_reference(tmp_path: Path) -> None:
    tasks = tasks_of(f"tritonbench_g:{_write(tmp_path, 'G')}")
    label = SCALED.split(SEPARATOR)[0].replace("\n\n\n", "\n\n")
    found = prediction_of({"instruction": "", "predict": "x = 1", "label": label}, tasks)
    assert found is not None and found.task == "scaled_tanh"


def test_a_reference_of_g_runs_where_the_judge_does_and_leaves_no_trace(tmp_path: Path) -> None:
    task = resolve(f"tritonbench_g:{_write(tmp_path, 'G')}#scaled_tanh")
    before = os.environ.get("TRITON_INTERPRET")
    module = module_of(task.source)
    (x,) = module.get_inputs()
    made = instance(task, module)(x)
    assert made.device.type == "cpu" and torch.allclose(made, torch.tanh(x) * 0.5, atol=1e-5)
    assert os.environ.get("TRITON_INTERPRET") == before
