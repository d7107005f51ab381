"""Verdicts on a device: a fault of one candidate is its own, a cheat is told, a right one timed."""

from __future__ import annotations

import pytest

from assay.data.evidence import Severity
from assay.data.settings import Level, Settings
from assay.data.verdict import Verdict
from assay.pipeline import evaluate_many
from corpus_case import CUDA_CORPUS, read_case

# The first leaves its process with an error on the device that nothing in it can clear.
CASES = ("illegal_access", "decoy_blended", "triton_rows", "waits_inside")


@pytest.fixture(scope="module")
def verdicts() -> dict[str, Verdict]:
    """One exam, one wall."""
    paths = [CUDA_CORPUS / "softmax" / name / "kernel.py" for name in CASES]
    settings = Settings(device="cuda", level=Level.QUICK, timeout_s=30.0, build_timeout_s=60.0)
    judged = evaluate_many("softmax", paths, settings)
    return {name: one.verdict for name, one in zip(CASES, judged, strict=True)}


@pytest.mark.parametrize("name", CASES)
def test_each_gets_the_verdict_its_folder_asks_for(verdicts: dict[str, Verdict], name: str) -> None:
    verdict = verdicts[name]
    heavy = [e for e in verdict.evidence if e.severity is not Severity.NOTE]
    asked = read_case(CUDA_CORPUS / "softmax" / name)
    assert asked.is_answered_by(verdict), f"{verdict.status}: {verdict.reason} {heavy}"


def test_the_right_one_is_timed_behind_the_gate(verdicts: dict[str, Verdict]) -> None:
    verdict = verdicts["triton_rows"]
    assert verdict.timing, verdict.timing_reason
    timing = verdict.timing[0]
    assert "not gated" not in timing.method
    assert 0.0 < timing.candidate_us < 1000.0
    assert timing.speedup_low <= timing.speedup <= timing.speedup_high


def test_the_devices_time_makes_the_speedup_and_the_hosts_stands_beside_it(
    verdicts: dict[str, Verdict],
) -> None:
    timing = (verdicts["triton_rows"].timing or ())[0]
    assert timing.speedup_low <= timing.baseline_us / timing.candidate_us <= timing.speedup_high
    assert timing.host_speedup is not None and timing.host_speedup_low is not None
    assert timing.host_speedup_low <= timing.host_speedup


def test_where_one_side_waits_inside_both_are_timed_with_their_launches(
    verdicts: dict[str, Verdict],
) -> None:
    verdict = verdicts["waits_inside"]
    assert verdict.timing, verdict.timing_reason
    timing = verdict.timing[0]
    assert "not gated" in timing.method and timing.host_speedup is None
    assert any("candidate waits for the device inside a call" in said for said in timing.remarks)
    gated = (verdicts["triton_rows"].timing or ())[0]
    assert timing.baseline_us > 0.8 * gated.baseline_us  # whatever the gate keeps out is in it


def test_the_layers_stand_in_the_environment(verdicts: dict[str, Verdict]) -> None:
    environment = verdicts["triton_rows"].environment
    assert environment.device.kind == "cuda"
    assert environment.layers_held
