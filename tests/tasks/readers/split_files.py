"""A small benchmark of split files, written for the tests."""

from __future__ import annotations

import json
from pathlib import Path

LINE = "#" * 146
SCALED = f"""import torch


def scaled_tanh(input, scale=1.0, *, out=None):
    return torch.tanh(input) * scale


{LINE}

import torch
import sys
import os
sys.path.append(os.path.abspath("utils"))
from data_utils import rand_tensor


def test_scaled_tanh():
    results = {{}}
    x = torch.tensor([1.0, -1.0], device="cuda")
    results["fixed"] = scaled_tanh(x)
    for mode in ("standard", "outlier"):
        outs = []
        for rows, columns in ((8, 16), (32, 64)):
            x = rand_tensor((rows, columns), dtype=torch.float32, mode=mode, outlier_prob=0.001)
            outs.append(scaled_tanh(x, scale=0.5))
        results[mode] = outs
    return results


test_results = test_scaled_tanh()
"""
GATHER = f"""import torch


def row_gather(table, index, width):
    return table[index, :width]


{LINE}

import torch


def test_row_gather():
    table = torch.randn(9, 12).cuda()
    index = torch.randint(0, 9, (5,), device="cuda")
    return {{"one": row_gather(table, index, 12)}}


test_results = test_row_gather()
"""
SCRIPT = """import torch
from benchmark.row_gather import row_gather


class performance_metrics(Performance_Metrics):
    def __init__(self, dtype=None, is_backward=False, **kwargs):
        super().__init__("row_gather", dtype=dtype, is_backward=is_backward, **kwargs)

    def get_input_tensors(self):
        self.input_tensors = []
        for i in range(4, 9):
            rows = 2 ** i
            width = 24
            table = torch.rand(rows, width, dtype=self.dtype)
            index = torch.randint(0, rows, (rows // 2,), dtype=torch.int64)
            self.input_tensors.append((table, index, width))

    def to_cuda(self, case):
        return case

    def call_op(self, case):
        table, index, width = case
        return row_gather(table, index, width)
"""
CONTEXT = f"""import torch


def guard():
    return torch.no_grad()


{LINE}


def test_guard():
    with guard():
        return {{}}


test_results = test_guard()
"""
ROWS = [{"input_size": [[64]], "ms": 0.5, "GB/s": 10.0, "TFLOPS": 0.1}]


def write_benchmark(root: Path, folder: str, scripts: str) -> Path:
    """Three files, one of which gives no task, and a performance script for one."""
    tasks = root / folder
    tasks.mkdir(parents=True)
    for name, text in (("scaled_tanh", SCALED), ("row_gather", GATHER), ("guard", CONTEXT)):
        (tasks / f"{name}.py").write_text(text)
    place = root / scripts
    place.mkdir(parents=True)
    (place / "row_gather_perf.py").write_text(SCRIPT)
    return root


def write_timings(root: Path, golden: str, devices: dict[str, float]) -> None:
    """A file of timings of scaled_tanh for each device."""
    for device, latency_ms in devices.items():
        folder = root / golden / device
        folder.mkdir(parents=True)
        rows = [{**ROWS[0], "ms": latency_ms}]
        (folder / "scaled_tanh.json").write_text(json.dumps(rows))
