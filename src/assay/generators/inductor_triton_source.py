"""InductorTritonSource: the Triton that torch.compile writes for a GPU, as a candidate of its own.

Nothing of torch.compile runs when it is judged: kernels are plain `@triton.jit` functions with a
fixed configuration. It answers the sizes that Inductor's guards allow, in the task's own dtypes,
and raises an error elsewhere. Making one needs a CUDA device: torch compiles for what it finds.

The rule: what Inductor leaves to a library stays a library call; a task of which nothing else is
left has no candidate, and the reason says so.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from assay.data.candidate import Candidate
from assay.data.task import Task
from assay.generators.candidate_source import CandidateSource, NoCandidate
from assay.generators.inductor_cpp_source import TIMEOUT_S, forward_lines
from assay.generators.inductor_process import CompiledReference, read_answer
from assay.generators.inductor_triton_module import inductor_triton_module
from assay.generators.model_module import ModelModule

_CHECKS = """
def require_layout(tensor, size, stride):
    strides = zip(tensor.shape, tensor.stride(), stride)
    if tuple(tensor.shape) != tuple(size) or any(n > 1 and a != b for n, a, b in strides):
        raise ValueError("this kernel was written for another layout")


def require_input(tensor, dtype):
    if tensor.dtype != dtype:
        raise TypeError(f"this kernel was written for {dtype}")
"""


class InductorTritonSource(CandidateSource):
    """Fused Triton kernels, written by torch.compile."""

    name = "inductor-triton"

    def __init__(self, timeout_s: float = TIMEOUT_S) -> None:
        self._timeout_s = timeout_s

    def candidate(self, task: Task) -> Candidate | NoCandidate:
        """Compile the reference in a process, and make a candidate of what was written."""
        start = time.perf_counter()
        try:
            text = triton_candidate_text(task, self._compiled(task))
        except subprocess.TimeoutExpired:
            return NoCandidate(f"torch.compile did not end within {self._timeout_s:.0f} s")
        except (SyntaxError, ValueError) as error:
            return NoCandidate(str(error))
        return self.made(task, text, time.perf_counter() - start)

    def _compiled(self, task: Task) -> CompiledReference:
        with tempfile.TemporaryDirectory() as folder:
            place = Path(folder)
            (place / "task.py").write_text(task.source, encoding="utf-8")
            (place / "entry").write_text(task.entry, encoding="utf-8")
            command = [sys.executable, "-m", "assay.generators.inductor_process", folder, "cuda"]
            ended = subprocess.run(
                command, cwd=folder, capture_output=True, timeout=self._timeout_s, check=False
            )
            if not (place / "answer.json").exists():
                raise ValueError(f"the compiling process ended with {ended.returncode}")
            return read_answer(place / "answer.json")


def triton_candidate_text(task: Task, compiled: CompiledReference) -> str:
    """The candidate's Python file. What stands in the way is a ValueError."""
    module = inductor_triton_module(compiled.module)
    if not module.kernels:
        called = ", ".join(module.library_calls)
        raise ValueError(f"Inductor writes no kernel for this task: it calls {called or 'nothing'}")
    model = ModelModule(task.source, task.entry)
    model.replace_forward(forward_lines(model, compiled))
    head = ["import math", "import torch", "import triton", "import triton.language as tl"]
    if any("libdevice." in one.source for one in module.kernels):
        head.append("from triton.language.extra import libdevice")
    parts = [
        f'"""Written by torch.compile for the task {task.id}; launched here as it stands."""',
        "\n".join(head),
        model.text(with_title=False),
        _CHECKS.strip("\n"),
        module.helpers,
        *(one.source for one in module.kernels),
        module.call,
    ]
    return "\n\n\n".join(one for one in parts if one) + "\n"
