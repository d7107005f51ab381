"""Traces: PASSED only with a time, and a status that the format has for everything else."""

from __future__ import annotations

import json
from typing import Any

import pytest

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.verdict import Status
from assay.report.result_formats.format_registry import RESULT_FORMATS
from assay.report.result_formats.trace_lines import TraceLines
from report.result_formats.made_up_rows import EVERY_STATUS, RUN, judged

FORMATS = ("flashinfer_trace", "sol_execbench")


def traces(name: str, *given: dict[str, Any]) -> list[dict[str, Any]]:
    files = RESULT_FORMATS.get(name).of_run(RUN, judged(*given)).files
    return [json.loads(line) for line in files["traces.jsonl"].splitlines()]


@pytest.mark.parametrize("name", FORMATS)
def test_a_pass_has_errors_and_times(name: str) -> None:
    (line,) = traces(name, {"task": "rmsnorm@2", "tags": ("workload:abc",)})
    assert list(line) == ["definition", "workload", "solution", "evaluation"]
    assert line["definition"] == "rmsnorm" and line["solution"] == "kernel_0.py"
    assert line["workload"] == {"uuid": "abc", "axes": {"rows": 4, "cols": 1024}, "inputs": {}}
    found = line["evaluation"]
    assert found["performance"] == {
        "latency_ms": 0.12,
        "reference_latency_ms": 0.24,
        "speedup_factor": 2.0,
    }
    assert found["correctness"]["extra"]["error_budget_used"] == 0.1
    assert found["environment"]["hardware"] == "Sample CPU"
    assert found["timestamp"] == "2023-11-14T22:13:20+00:00"
    assert "answered 18 of 20 workloads" in found["log"] and "[1.9 2.1]" in found["log"]


def test_errors_that_are_not_measured_are_no_zeros() -> None:
    errors = [traces(name, {})[0]["evaluation"]["correctness"] for name in FORMATS]
    assert errors[0]["max_absolute_error"] == "NaN" and "max_absolute_error" not in errors[1]


@pytest.mark.parametrize("name", FORMATS)
def test_measures_stand_only_beside_the_statuses_that_allow_them(name: str) -> None:
    for line in traces(name, *EVERY_STATUS):
        found = line["evaluation"]
        passed, numerical = found["status"] == "PASSED", found["status"] == "INCORRECT_NUMERICAL"
        assert (found["performance"] is not None) is passed
        assert (found["correctness"] is not None) is (passed or numerical)


def test_statuses_are_those_of_the_format() -> None:
    def of(name: str, status: Status, kind: EvidenceKind | None = None) -> str:
        found = [Evidence(kind=kind, severity=Severity.CONVICTS, text="x")] if kind else []
        (line,) = traces(name, {"status": status, "evidence": tuple(found)})
        return str(line["evaluation"]["status"])

    assert [of(name, Status.DISHONEST) for name in FORMATS] == ["RUNTIME_ERROR", "REWARD_HACK"]
    assert of("sol_execbench", Status.INVALID_TASK) == "INVALID_REFERENCE"
    for status, kind, said in (
        (Status.INCORRECT, EvidenceKind.WRONG_SHAPE, "INCORRECT_SHAPE"),
        (Status.INCORRECT, EvidenceKind.WRONG_DTYPE, "INCORRECT_DTYPE"),
        (Status.INCORRECT, EvidenceKind.RAISED, "RUNTIME_ERROR"),
        (Status.INCORRECT, EvidenceKind.WRONG_VALUE, "INCORRECT_NUMERICAL"),
        (Status.TIMED_OUT, None, "TIMEOUT"),
        (Status.BUILD_FAILED, None, "COMPILE_ERROR"),
    ):
        assert of("flashinfer_trace", status, kind) == said


def test_a_word_that_is_lost_is_counted_and_stands_in_the_log() -> None:
    form = RESULT_FORMATS.get("flashinfer_trace")
    assert isinstance(form, TraceLines)
    doubt = {"status": Status.SUSPICIOUS, "timing": None, "timing_reason": "not timed: too busy"}
    made = form.of_run(RUN, judged(doubt, {"timing": None}))
    assert made.renamed == {"suspicious as RUNTIME_ERROR": 1}
    assert made.written == 1 and "has no PASSED without a time" in next(iter(made.left_out))
    (line,) = made.files["traces.jsonl"].splitlines()
    log = json.loads(line)["evaluation"]["log"]
    assert log.startswith("suspicious: ") and log.endswith("; not timed: too busy")
