"""Code that Inductor writes, on each track, as the source shows it."""

from __future__ import annotations

from assay.data.candidate import Candidate, SourceFile
from assay.data.evidence import EvidenceKind, Severity
from assay.data.settings import Track
from assay.source_analysis.analysis import analyse, findings

COMPILED = """
import torch
import torch.nn as nn
MAKE
def kernel(x):
    return torch.relu(x)
class ModelNew(nn.Module):
    def forward(self, x):
        return kernel(x)
"""


def _found(make: str, track: Track) -> dict[EvidenceKind, Severity]:
    file = SourceFile(path="kernel.py", text=COMPILED.replace("MAKE", make))
    report = analyse(Candidate(name="c", language="torch", sources=(file,)))
    return {e.kind: e.severity for e in findings(report, track)}


def test_a_generated_kernel_convicts_on_kernel_and_is_the_kernel_of_mixed() -> None:
    assert _found("@torch.compile", Track.KERNEL)[EvidenceKind.GENERATED_KERNEL] == "convicts"
    mixed = _found("@torch.compile", Track.MIXED)
    assert mixed == {EvidenceKind.GENERATED_KERNEL: Severity.NOTE}
    assert _found("@torch.compile", Track.OPEN) == {}


def test_torch_script_and_plain_torch_are_no_kernel_on_mixed() -> None:
    assert _found("@torch.jit.script", Track.MIXED)[EvidenceKind.NO_KERNEL] == "convicts"
    assert _found("", Track.MIXED)[EvidenceKind.NO_KERNEL] == "convicts"
