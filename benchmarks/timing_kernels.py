"""Kernels whose duration is known, for the benchmark of the clock."""

from __future__ import annotations

import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.data.candidate import Candidate, SourceFile
from assay.data.task import Task
from assay.tasks.readers.kernelbench import read_file

_TASK = """
import torch
import torch.nn as nn


class Model(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)


rows = {rows}
columns = 1024


def get_inputs():
    return [torch.randn(rows, columns)]


def get_init_inputs():
    return []
"""

_HEAD = """
import torch
import torch.nn as nn
import triton
import triton.language as tl


@triton.jit
def nanoseconds():
    return tl.inline_asm_elementwise(
        "mov.u64 $0, %globaltimer;", "=l", [], dtype=tl.int64, is_pure=False, pack=1
    )
"""

_LOOP = """

@triton.jit
def work(x, y, n, B: tl.constexpr):
    i = tl.program_id(0) * B + tl.arange(0, B)
    value = tl.load(x + i)
    for _ in range(n):
        value = value * 0.999 + 0.001
    tl.store(y + i, value)
"""

_SPIN = """

@triton.jit
def work(x, y, n, B: tl.constexpr):
    start = nanoseconds()
    now = start
    while now - start < n:
        now = nanoseconds()
    i = tl.program_id(0) * B + tl.arange(0, B)
    tl.store(y + i, tl.load(x + i))
"""

_LAUNCH = """

class ModelNew(nn.Module):
    def forward(self, x):
        y = torch.empty_like(x)
        work[(132,)](x, y, {n}, B=128, num_warps=4)
        return y
"""

_SOFTMAX = """
import torch
import torch.nn as nn


class ModelNew(nn.Module):
    def forward(self, x):
        return torch.softmax(x, dim=-1)
"""

_LIE = """

import sys

_driver = sys.modules["assay.devices.cuda_driver"].CudaDriver
_honest = _driver.elapsed_us
_driver.elapsed_us = lambda self, start, end: _honest(self, start, end) / 10
"""


@dataclass(frozen=True)
class Kernel:
    """A candidate of known cost."""

    name: str
    source: str

    def candidate(self) -> Candidate:
        """As the builder takes it."""
        file = SourceFile(path="kernel.py", text=self.source)
        language = "triton" if "triton" in self.source else "torch"
        return Candidate(name=self.name, language=language, sources=(file,))


def _kernel(name: str, *parts: str) -> Callable[[int], Kernel]:
    return lambda n: Kernel(f"{name} {n}", "".join(parts).replace("{n}", str(n)))


LOOP = _kernel("loop", _HEAD, _LOOP, _LAUNCH)
SPIN = _kernel("spin", _HEAD, _SPIN, _LAUNCH)
LYING = _kernel("lying loop", _HEAD, _LOOP, _LAUNCH, _LIE)
SOFTMAX = _kernel("softmax", _SOFTMAX)


def task(rows: int) -> Task:
    """Something to compute that all of them pretend to."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "timing.py"
        path.write_text(_TASK.format(rows=rows), encoding="utf-8")
        return read_file(path)
