"""A run folder of KernelBench: what its evaluator said of each sample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.store.imports.import_registry import FORMATS
from assay.store.imports.kernelbench_samples import KernelBenchSamples

KERNEL = "import torch\n\n\nclass ModelNew(torch.nn.Module):\n    pass\n"
RIGHT = {"sample_id": 0, "compiled": True, "correctness": True, "metadata": {}, "runtime": 1.5}
WRONG = {
    "sample_id": 1,
    "compiled": True,
    "correctness": False,
    "metadata": {"runtime_error": "boom", "hardware": "H100"},
    "runtime": -1.0,
}


def folder(root: Path) -> Path:
    for name in ("level_1_problem_19_sample_0", "level_1_problem_19_sample_1"):
        (root / f"{name}_kernel.py").write_text(KERNEL)
    (root / "level_1_problem_20_sample_0_kernel.py").write_text(KERNEL)
    (root / "eval_results.json").write_text(json.dumps({"19": [RIGHT, WRONG], "21": [RIGHT]}))
    return root


def test_samples_come_with_what_was_said_of_them(tmp_path: Path) -> None:
    found = KernelBenchSamples().read(folder(tmp_path))
    assert [entry.task.id for entry in found.entries] == ["level1/19", "level1/19"]
    right, wrong = (entry.candidate.provenance.claimed for entry in found.entries)
    assert right is not None and (right.correct, right.latency_us) == (True, 1500.0)
    assert wrong is not None and (wrong.correct, wrong.latency_us) == (False, None)
    assert wrong.error == "runtime_error: boom"
    assert [entry.candidate.provenance.sample for entry in found.entries] == [0, 1]


def test_what_stands_alone_is_counted(tmp_path: Path) -> None:
    found = KernelBenchSamples().read(folder(tmp_path) / "eval_results.json")
    assert found.records == 4
    assert found.left_out == {"the sample has no result": 1, "the result has no sample": 1}


def test_another_folder_is_named(tmp_path: Path) -> None:
    with pytest.raises(UsageError, match=r"eval_results\.json"):
        FORMATS.get("kernelbench").read(tmp_path)
