"""KernelBench-X: tasks from split files, their timings, and candidates in the format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

from assay.errors import UsageError
from assay.tasks.catalog import candidate_at, candidates_of, prediction_of, tasks_of, unread_of
from assay.tasks.readers.kernelbench_x import KernelBenchXReader
from tasks.readers.foreign_module import entry_of, instance, module_of
from tasks.readers.split_files import LINE, write_benchmark, write_timings

CANDIDATE = "import torch\ndef scaled_tanh(input, scale=1.0):\n    return input.tanh() * scale\n"


@pytest.fixture
def place(tmp_path: Path) -> Path:
    root = write_benchmark(tmp_path, "data/kernelbenchx/Math", "metrics/golden_metrics")
    write_timings(root, "metrics/golden_results", {"a100": 0.5, "h20": 0.4, "l20": 0.5})
    listed = [{"file": "Math/scaled_tanh.py", "difficulty": 2, "description": "Tanh. Scaled."}]
    (root / "data" / "kernelbenchx_v1.json").write_text(json.dumps(listed))
    return root


def test_every_file_gives_a_task_or_a_reason(place: Path) -> None:
    tasks = {task.id: task for task in tasks_of(f"kernelbench_x:{place}")}
    assert sorted(tasks) == ["row_gather", "scaled_tanh"]
    (left,) = unread_of(f"kernelbench_x:{place}")
    assert left.where.endswith("guard.py") and "calls the reference" in left.why
    assert tasks["scaled_tanh"].tags == ("Math", "difficulty 2", "timed on a100 h20")
    assert tasks["scaled_tanh"].title == "Tanh"
    assert "not in the benchmark's list" in tasks["row_gather"].tags


def test_an_optimizer_without_its_script_is_no_task_and_the_mend_is_told(place: Path) -> None:
    reference = (
        "import torch\ndef descent(params, lr=0.1):\n    return torch.optim.SGD(params, lr=lr)\n"
    )
    test = "def test():\n    return descent([torch.rand(4)]).defaults\n"
    file = place / "data" / "kernelbenchx" / "Math" / "descent.py"
    file.write_text(f"{reference}{LINE}\nimport torch\n{test}")
    why = {Path(left.where).stem: left.why for left in unread_of(f"kernelbench_x:{place}")}
    assert "performance script" in why["descent"]
    script = (
        "class performance_metrics:\n"
        "    def get_input_tensors(self):\n"
        "        p = torch.rand(4)\n        p.grad = torch.rand_like(p)\n"
        "        self.input_tensors.append([p])\n"
        "    def to_cuda(self, case):\n        return case\n"
        "    def call_op(self, case):\n        made = descent(case)\n        made.step()\n"
    )
    (place / "metrics" / "golden_metrics" / "descent_perf.py").write_text(script)
    assert "descent" in {task.id for task in tasks_of(f"kernelbench_x:{place}")}


def test_the_largest_random_call_of_the_test_is_the_task(place: Path) -> None:
    task = KernelBenchXReader().load(place, "scaled_tanh")
    module = module_of(task.source)
    (x,) = module.get_inputs()
    assert x.shape == (32, 64) and module.get_init_inputs() == [0.5]
    assert torch.equal(instance(task, module)(x), torch.tanh(x) * 0.5)
    assert module.rows == 32  # a size of the module, which the judge can vary


def test_the_middle_of_the_performance_script_is_the_task(place: Path) -> None:
    task = KernelBenchXReader().load(place, "row_gather")
    module = module_of(task.source)
    table, index = module.get_inputs()
    assert table.shape == (64, 24) and index.shape == (32,) and module.get_init_inputs() == [24]
    assert torch.equal(instance(task, module)(table, index), table[index, :24])


def test_a_candidate_is_cut_at_the_line_and_gets_an_entry(place: Path) -> None:
    task = KernelBenchXReader().load(place, "scaled_tanh")
    own = place / "samples" / "scaled_tanh.py"
    own.parent.mkdir()
    own.write_text(f"{CANDIDATE}{LINE}\nraise RuntimeError\n")
    assert candidates_of(f"kernelbench_x:{place}#scaled_tanh") == (own,)
    candidate = candidate_at(own, task)
    assert candidate.sources[1].text == CANDIDATE
    x = torch.randn(3, 4)
    made = instance(task, entry_of(candidate), "ModelNew")
    assert torch.equal(made(x), torch.tanh(x) * 0.5)


def test_a_line_of_predictions_names_its_file(place: Path) -> None:
    tasks = tasks_of(f"kernelbench_x:{place}")
    fields = {"file": "Math/scaled_tanh.py", "predict": f"Here:\n```python\n{CANDIDATE}```\n"}
    found = prediction_of(fields, tasks)
    assert found is not None and found.task == "scaled_tanh"
    assert found.source.strip() == CANDIDATE.strip()
    assert prediction_of({"source": "x"}, tasks) is None


def test_timings_that_repeat_another_devices_are_a_copy(place: Path) -> None:
    found = KernelBenchXReader().timings(place / "data/kernelbenchx/Math/scaled_tanh.py")
    assert [(one.device, one.copy_of) for one in found] == [
        ("a100", ""),
        ("h20", ""),
        ("l20", "a100"),
    ]
    assert found[1].rows[0].latency_ms == 0.4 and found[1].rows[0].input_size == "[[64]]"


def test_a_folder_without_split_files_is_a_mistake(tmp_path: Path) -> None:
    (tmp_path / "x.py").write_text("x = 1\n")
    with pytest.raises(UsageError, match="holds no task"):
        tasks_of(f"kernelbench_x:{tmp_path}")
