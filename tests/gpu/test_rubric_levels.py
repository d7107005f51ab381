"""A verdict on a GPU knows the hardware level: its kernels are compiled for that GPU."""

from __future__ import annotations

from pathlib import Path

from assay import evaluate
from assay.data.verdict import Status
from assay.devices.device_registry import backend
from assay.languages.architecture import device_architecture

EXAMPLE = Path(__file__).parents[2] / "examples" / "gelu" / "honest__triton_blocks.py"


def test_kernels_are_compiled_for_the_device() -> None:
    verdict = evaluate("gelu", EXAMPLE, device="cuda", level="standard")
    arch = device_architecture(backend("cuda").describe().architecture)
    assert verdict.status is Status.ACCEPTED, verdict.reason
    assert verdict.rubric is not None and verdict.rubric.facts is not None and arch is not None
    assert verdict.rubric.facts.compiled_for == (arch.name,), verdict.rubric.reasons
    assert verdict.rubric.line.startswith("K1 R2 H1 P"), verdict.rubric.reasons
    assert verdict.rubric.performance is not None


def test_the_shortest_level_compiles_nothing() -> None:
    verdict = evaluate("gelu", EXAMPLE, device="cuda", level="smoke")
    assert verdict.rubric is not None and verdict.rubric.hardware is None
    assert "no binary was read" in verdict.rubric.reasons[2]
