"""Kernels compiled while their candidate is judged."""

from __future__ import annotations

import threading

import pytest

from assay.data.candidate import Candidate
from assay.data.observations.compilation import CompileReport
from assay.languages.architecture import Architecture, architecture
from assay.profile.compile import compile_beside
from assay.profile.compile.compile_beside import CompileBeside
from sample_records import candidate as sample_candidate


class _Compiler:
    """Waits to be let go, and says what it was asked."""

    go_on = threading.Event()
    closed = 0

    def compile(self, candidate: Candidate, arch: Architecture) -> CompileReport:
        assert self.go_on.wait(10.0)
        return CompileReport(candidate_id=candidate.id, arch=arch.name)

    def close(self) -> None:
        type(self).closed += 1


class _Broken(_Compiler):
    def compile(self, candidate: Candidate, arch: Architecture) -> CompileReport:
        raise OSError("no room")


def test_the_caller_goes_on_meanwhile(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_beside, "AheadOfTimeCompiler", _Compiler)
    beside = CompileBeside(architecture("sm_90a"))
    report = beside.start(sample_candidate())
    assert not report.done()
    _Compiler.go_on.set()
    assert report.result(10.0).arch == "sm_90a"
    beside.close()
    assert _Compiler.closed == 1


def test_a_compiler_of_ours_that_fails_costs_a_level_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(compile_beside, "AheadOfTimeCompiler", _Broken)
    beside = CompileBeside(architecture("sm_90a"))
    assert "no room" in beside.start(sample_candidate()).result(10.0).reason
    beside.close()
