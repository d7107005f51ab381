"""Baselines: candidates too. Same road, same clock, another process.

The rule: one that cannot be built or run costs itself alone, and says why.
"""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch

from assay.data.baselines import COMPILE, COMPILE_MAX, EAGER, NAMES, VENDOR
from assay.data.candidate import Candidate, SourceFile
from assay.data.task import Task
from assay.data.workload import Direction
from assay.devices.device_adapter import DeviceBackend
from assay.errors import UsageError
from assay.exam.call_reading import returned
from assay.languages.candidate_file import load_candidate
from assay.languages.torch_language import TorchLanguage
from assay.sandbox.host.planned_call import Expectations
from assay.tasks.references.vendor import vendor_of

Form = tuple[tuple[int, ...], torch.dtype]
CANDIDATE = "candidate"  # names that are no baseline's
NULL = "null"

_COMPILED = """

def AssayBaseline(*args, **kwargs):
    return torch.compile({entry}(*args, **kwargs){options})
"""
# Of gradients the forward pass is compiled, and its backward pass with it, as in training: what
# calls autograd itself is no one graph (softmax's on an H200: 540 us so, 1141 us as a whole).
_COMPILED_GRADIENTS = """

import functools as _functools

_compiled = torch.compile(Model.forward{options})


class _CompiledForward(Model):
    @_functools.wraps(Model.forward)
    def forward(self, *inputs):
        return _compiled(self, *inputs)


class AssayBaseline({entry}, _CompiledForward):
    pass
"""
# Answers must stay what they were; those of CUDA graphs are overwritten by the next call.
_OPTIONS = {COMPILE: "", COMPILE_MAX: ', mode="max-autotune-no-cudagraphs"'}

_NULL = """
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, *inputs):
        return ({outputs},)
"""


class BaselineLost(Exception):
    """A baseline is not known for the task, did not build, or did not survive."""

    def __init__(self, name: str, reason: str) -> None:
        super().__init__(f"{name}: {reason}")
        self.name = name
        self.reason = reason


def baseline(name: str, task: Task) -> Candidate:
    """The candidate behind a baseline's name, or in a file the user names."""
    if name == EAGER:
        return _candidate(name, task.source, task.entry)
    if name in _OPTIONS:
        forward = task.direction is Direction.FORWARD
        added = (_COMPILED if forward else _COMPILED_GRADIENTS).format(
            entry=task.entry, options=_OPTIONS[name]
        )
        return _candidate(name, task.source + added, "AssayBaseline")
    if name == VENDOR:
        found = vendor_of(task)
        if found is None:
            raise BaselineLost(name, "no vendor call is known for this task")
        return _candidate(name, *found)
    path = Path(name)
    if not path.exists():
        known = ", ".join(NAMES)
        raise UsageError(f"baseline {name!r} is neither a file nor one of: {known}")
    return load_candidate(path)


def null_candidate(expectations: Expectations, device: DeviceBackend) -> Candidate:
    """Returns tensors of the right form at once: what is left is our own cost.

    In the host's memory they are written, which its own clock shows: copying pages that nobody has
    written is quicker than copying a result.
    """
    forms = [(e.shape, e.reference.dtype) for e in returned(expectations)]
    return empty_candidate(forms, device)


def empty_candidate(forms: Iterable[Form], device: DeviceBackend) -> Candidate:
    """A null candidate whose results have these shapes and dtypes."""
    filled = "" if device.accelerated else ".fill_(1)"
    outputs = ", ".join(
        f"torch.empty({tuple(shape)}, dtype={dtype}, device={device.torch_device!r}){filled}"
        for shape, dtype in forms
    )
    return _candidate(NULL, _NULL.format(outputs=outputs), "ModelNew")


def _candidate(name: str, source: str, entry: str) -> Candidate:
    file = SourceFile(path="kernel.py", text=source)
    return Candidate(name=name, language=TorchLanguage.name, sources=(file,), entry=entry)
