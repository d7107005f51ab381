"""Builds and ends: what failed, in whose words."""

from __future__ import annotations

import dataclasses

import pytest

from assay.data.evidence import EvidenceKind, Severity
from assay.data.observations.call import CallOutcome, CallSeen, Mix, OutputSeen
from assay.data.observations.observation import BuildSeen, CheckMissing, EndCause
from assay.data.verdict import Correct, Honest, Outcome, Status
from assay.judge.decide import judge
from assay.judge.judge_input import JudgeInput
from support.judge_inputs import (
    BUILT,
    LAYERS,
    OTHER_SIZE,
    OWN,
    case,
    ended,
    every_workload,
    good,
    kinds,
)


def _build(phase: str, log: str) -> BuildSeen:
    return BuildSeen(ok=False, phase=phase, seconds=3.0, cached=False, log=log)


@pytest.mark.parametrize("phase", ["import", "construct"])
def test_a_failed_build_speaks_in_its_own_words(phase: str) -> None:
    log = "Traceback (most recent call last):\n  File x\nNameError: name 'tl' is not defined\n"
    verdict = judge(case(_build(phase, log)))
    assert verdict.status is Status.BUILD_FAILED
    assert "name 'tl' is not defined" in verdict.reason and phase in verdict.reason
    assert (verdict.correct, verdict.honest) == (Correct.UNKNOWN, Honest.UNKNOWN)


def test_a_build_without_words_still_has_a_reason() -> None:
    verdict = judge(case(_build("import", "  ")))
    assert verdict.status is Status.BUILD_FAILED and "no message" in verdict.reason


def test_a_first_call_that_raises_is_a_crash() -> None:
    verdict = judge(case(_build("first call", "IndexError: out of range")))
    assert verdict.status is Status.CRASHED
    assert "out of range" in verdict.reason and kinds(verdict.evidence) == {"raised"}


@pytest.mark.parametrize(
    "log",
    [
        "RuntimeError: Error building extension 'k': kernel.cpp:3: error: expected ';'",
        "numba.core.errors.TypingError: failed in nopython mode",
        "triton.compiler.errors.CompilationError: at 3:4",
        "ImportError: k.so: undefined symbol: _Z3foov",
    ],
)
def test_a_first_call_that_compiles_in_vain_is_a_failed_build(log: str) -> None:
    verdict = judge(case(_build("first call", log)))
    assert verdict.status is Status.BUILD_FAILED


ENDS = {
    EndCause.TIMED_OUT: (Status.TIMED_OUT, EvidenceKind.TIMED_OUT),
    EndCause.OUT_OF_MEMORY: (Status.OUT_OF_MEMORY, EvidenceKind.OUT_OF_MEMORY),
    EndCause.PROCESS_LIMIT: (Status.CRASHED, EvidenceKind.LIMIT),
    EndCause.EXITED: (Status.CRASHED, EvidenceKind.CRASHED),
    EndCause.SIGNALLED: (Status.CRASHED, EvidenceKind.CRASHED),
    EndCause.BROKE_PROTOCOL: (Status.DISHONEST, EvidenceKind.FORGERY),
}


@pytest.mark.parametrize("cause", EndCause)
def test_every_end_has_its_status(cause: EndCause) -> None:
    verdict = judge(case(*every_workload(), ended(cause, text="the sentence")))
    status, kind = ENDS[cause]
    assert verdict.status is status and kind in {e.kind for e in verdict.evidence}
    assert verdict.correct is Correct.UNKNOWN
    assert "the sentence" in verdict.reason


@pytest.mark.parametrize(("workload", "where"), [(OWN, "rows="), (None, "calls")])
def test_an_end_names_the_workload_and_without_one_the_phase(
    workload: int | None, where: str
) -> None:
    verdict = judge(case(*every_workload(), ended(EndCause.SIGNALLED, workload=workload)))
    (crashed,) = (e for e in verdict.evidence if e.kind is EvidenceKind.CRASHED)
    assert crashed.where.startswith(where)


def test_an_end_during_the_build_is_told_as_the_end() -> None:
    seen = (_build("import", "half a log"), ended(EndCause.TIMED_OUT, phase="build", workload=None))
    verdict = judge(case(*seen))
    assert verdict.status is Status.TIMED_OUT and "build" in verdict.reason


def test_a_call_out_of_memory_is_its_own_status() -> None:
    output = OutputSeen(name="output", problem=EvidenceKind.OUT_OF_MEMORY, detail="MemoryError()")
    call = CallSeen(
        index=0,
        workload=OWN,
        mix=Mix.PLAIN,
        outcome=CallOutcome.RAISED,
        message="MemoryError()",
        outputs=(output,),
    )
    verdict = judge(case(BUILT, call))
    assert verdict.status is Status.OUT_OF_MEMORY
    assert verdict.workloads[OWN].outcome is Outcome.OUT_OF_MEMORY


@pytest.mark.parametrize("cause", [EndCause.TIMED_OUT, EndCause.OUT_OF_MEMORY])
def test_a_size_that_need_not_fit_costs_coverage_alone(cause: EndCause) -> None:
    left_out = ended(cause, workload=OTHER_SIZE).model_copy(update={"optional": True})
    rest = [seen for seen in every_workload() if getattr(seen, "workload", OWN) != OTHER_SIZE]
    verdict = judge(case(*rest, left_out))
    assert verdict.status is Status.ACCEPTED
    assert verdict.workloads[OTHER_SIZE].outcome.value == cause.value
    (note,) = (e for e in verdict.evidence if e.kind.value == cause.value)
    assert note.severity is Severity.NOTE and "did not fit the" in note.text


def test_a_missing_check_is_listed_once() -> None:
    missing = CheckMissing(check="weight updates", reason="no match", essential=False)
    verdict = judge(case(BUILT, good(), missing, missing))
    assert [e.text for e in verdict.evidence] == ["weight updates: no match"]


@pytest.mark.parametrize(
    ("log", "status", "sentence"),
    [
        (
            "ModuleNotFoundError: No module named 'einops.layers'",
            Status.BUILD_FAILED,
            "the package einops is not installed: pip install einops, then --allow-package einops",
        ),
        (
            "AssertionError: Torch not compiled with CUDA enabled",
            Status.CRASHED,
            "the kernel asks for a CUDA device; use --device cuda",
        ),
        (
            "InterpreterError: AttributeError(\"'InterpreterBuilder' object has no attribute "
            "'create_inline_asm'\")",
            Status.NOT_RUN,
            "Triton's interpreter cannot run inline_asm; judge it on a GPU: --device cuda",
        ),
        (
            "AttributeError: 'InterpretedFunction' object has no attribute 'warmup'",
            Status.NOT_RUN,
            "Triton's interpreter cannot run warmup; judge it on a GPU: --device cuda",
        ),
    ],
)
def test_an_obstacle_is_named_in_one_line_with_its_mend(
    log: str, status: Status, sentence: str
) -> None:
    phase = "import" if status is Status.BUILD_FAILED else "first call"
    written = f"Traceback (most recent call last):\n  File x\n{log}\n"
    verdict = judge(_in_triton(case(_build(phase, written))))
    assert verdict.status is status
    assert sentence in verdict.reason and "Traceback" not in verdict.reason


def test_the_interpreter_is_blamed_for_its_own_gaps_alone() -> None:
    log = "InterpreterError: AssertionError('block must be a power of two')"
    verdict = judge(_in_triton(case(_build("first call", log))))
    assert verdict.status is Status.CRASHED


def _in_triton(seen: JudgeInput) -> JudgeInput:
    candidate = seen.candidate.model_copy(update={"language": "triton"})
    return dataclasses.replace(seen, candidate=candidate)


@pytest.mark.parametrize(
    "log",
    [
        "ModuleNotFoundError: No module named 'scipy.linalg'",
        "ImportError: scipy 0.16+ is required for linear algebra",
    ],
)
def test_a_hidden_package_is_named_with_the_flag_that_shows_it(log: str) -> None:
    layers = LAYERS.model_copy(update={"hidden_packages": ("rich", "scipy")})
    verdict = judge(case(layers, _build("import", log)))
    assert "the package scipy is hidden" in verdict.reason
    assert "--allow-package scipy" in verdict.reason
