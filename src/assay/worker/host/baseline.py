"""Baselines: candidates too. Same road, same clock, another process."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

import torch

from assay.data.candidate import Candidate, Language, SourceFile
from assay.data.task import Task
from assay.errors import UsageError
from assay.languages.candidate_file import load_candidate
from assay.worker.host.reading import Expectations, returned

Form = tuple[tuple[int, ...], torch.dtype]
NAMES = ("eager", "compile")

_COMPILED = """

def AssayBaseline(*args, **kwargs):
    return torch.compile({entry}(*args, **kwargs))
"""

_NULL = """
import torch


class ModelNew(torch.nn.Module):
    def __init__(self, *args, **kwargs):
        super().__init__()

    def forward(self, *inputs):
        return ({outputs},)
"""


def baseline(name: str, task: Task) -> Candidate:
    """The candidate behind a baseline's name, or in a file the user names."""
    if name == "eager":
        return _candidate(name, task.source, task.entry)
    if name == "compile":
        return _candidate(name, task.source + _COMPILED.format(entry=task.entry), "AssayBaseline")
    path = Path(name)
    if not path.exists():
        known = ", ".join(NAMES)
        raise UsageError(f"baseline {name!r} is neither a file nor one of: {known}")
    return load_candidate(path)


def null_candidate(expectations: Expectations, device: str = "cpu") -> Candidate:
    """Returns empty tensors of the right form at once: what is left is our own cost."""
    return empty_candidate([(e.shape, e.reference.dtype) for e in returned(expectations)], device)


def empty_candidate(forms: Iterable[Form], device: str) -> Candidate:
    """A null candidate whose results have these shapes and dtypes."""
    outputs = ", ".join(
        f"torch.empty({tuple(shape)}, dtype={dtype}, device={device!r})" for shape, dtype in forms
    )
    return _candidate("null", _NULL.format(outputs=outputs), "ModelNew")


def _candidate(name: str, source: str, entry: str) -> Candidate:
    file = SourceFile(path="kernel.py", text=source)
    return Candidate(name=name, language=Language.TORCH, sources=(file,), entry=entry)
