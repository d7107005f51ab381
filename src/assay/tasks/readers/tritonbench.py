"""TritonBench: split files; G has Triton kernels as references, T has PyTorch functions.

The rule: a prediction's task is found by what was asked for: of G by the reference that the line
carries, of T by the function that the prompt names.
"""

from __future__ import annotations

import functools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from assay.data.task import Task
from assay.tasks.readers.function_call import recorded_call
from assay.tasks.readers.split_file_reader import SplitFileReader
from assay.tasks.readers.triton_reference import with_device

_DEVICE = "a100"  # of all its timings
_ASKED = re.compile(r"Wrapper Entry Information:\s*(?:def\s+)?(?:[\w.]+\.)?(\w+)\s*\(")


class TritonBenchTReader(SplitFileReader):
    """`tritonbench_t:FOLDER`."""

    name = "tritonbench_t"
    home = "TritonBench_T_v1"
    scripts = "performance_metrics/perf_T/golden_metrics"
    metadata = "TritonBench_T_v1.jsonl"
    golden = "performance_metrics/perf_T/golden_results"
    licence = "Apache-2.0"

    def _golden_files(self, path: Path) -> dict[str, Path]:
        folder = self._near(path, self.golden)
        return {} if folder is None else {_DEVICE: folder / f"{path.stem}.json"}

    def _predicted_task(self, fields: Mapping[str, Any], tasks: Sequence[Task]) -> str:
        found = super()._predicted_task(fields, tasks)
        asked = _ASKED.search(_instruction(fields))
        if found or asked is None:
            return found
        named = [task.id for task in tasks if asked[1] in (task.id, _function(task))]
        return asked[1] if asked[1] in named else next(iter(named), "")


class TritonBenchGReader(SplitFileReader):
    """`tritonbench_g:FOLDER`."""

    name = "tritonbench_g"
    home = "TritonBench_G_v1"
    scripts = "performance_metrics/perf_G/golden_metrics"
    metadata = "TritonBench_G_v1.json"
    golden = "performance_metrics/perf_G/golden_results"
    licence = "Apache-2.0"

    def _golden_files(self, path: Path) -> dict[str, Path]:
        folder = self._near(path, self.golden)
        return {} if folder is None else {_DEVICE: folder / f"{path.stem}.json"}

    def _predicted_task(self, fields: Mapping[str, Any], tasks: Sequence[Task]) -> str:
        label = fields.get("label")
        wanted = _packed(label) if isinstance(label, str) else ""
        found = super()._predicted_task(fields, tasks)
        if found or not wanted:
            return found
        return next((task.id for task in tasks if wanted in _packed(task.source)), "")

    def _runnable(self, source: str) -> str:
        return with_device(source)


def _instruction(fields: Mapping[str, Any]) -> str:
    words = (fields.get(name) for name in ("instruction", "prompt", "query"))
    return next((one for one in words if isinstance(one, str)), "")


def _function(task: Task) -> str:
    call = recorded_call(task.source)
    return "" if call is None else call.function


@functools.lru_cache(maxsize=512)
def _packed(text: str) -> str:
    """Without white space, which the benchmark's own files differ in."""
    return "".join(text.split())
