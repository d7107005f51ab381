"""What an empty record of the device's kernels says."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.checks import device_kernels
from assay.checks.device_kernels import trace_kernels
from assay.data.observations.kernels import KernelSeen, KernelsSeen
from assay.data.observations.observation import CheckMissing
from assay.data.settings import Track
from assay.judge.behaviour.kernel_share import findings
from assay.judge.behaviour.own_names import OwnNames
from assay.sandbox.host.planned_call import AT_START
from checks.contexts import context_of

EMPTY = KernelsSeen(calls=3)
LOST = KernelsSeen(calls=3, marked=False)
HIDDEN = KernelsSeen(calls=3, unrecorded=3)


def _of(total_us: float) -> KernelsSeen:
    shape = {"registers": 32, "shared_bytes": 0, "grid": "4x1x1", "block": "256x1x1"}
    kernel = KernelSeen(name="mine", launches=3, total_us=total_us, **shape)
    return KernelsSeen(calls=3, kernels=(kernel,))


def _traced(
    monkeypatch: pytest.MonkeyPatch, *told: KernelsSeen, track: Track = Track.KERNEL
) -> list[KernelsSeen | CheckMissing]:
    left = list(told)
    monkeypatch.setattr(device_kernels, "traced", lambda *_: left.pop(0))
    monkeypatch.setattr(device_kernels, "library_code", lambda *_: {})
    exam = SimpleNamespace(content=lambda key: None, traced_spot=AT_START)
    context = context_of(cast(Any, SimpleNamespace(exam=exam)))
    settings = context.settings.model_copy(update={"track": track})
    found = trace_kernels(replace(context, settings=settings), lambda _: None)
    assert not left, "it stopped too early"
    return found


def test_a_record_with_kernels_is_taken_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert _traced(monkeypatch, _of(9.0)) == [_of(9.0)]
    failed = KernelsSeen(calls=3, reason="no CUPTI")
    assert _traced(monkeypatch, failed) == [failed]


def test_an_empty_record_of_a_recorder_that_works_convicts(monkeypatch: pytest.MonkeyPatch) -> None:
    (seen,) = _traced(monkeypatch, EMPTY, EMPTY, EMPTY)
    assert isinstance(seen, KernelsSeen)
    (found,) = findings(seen, OwnNames(), Track.KERNEL)
    assert found.text == "no kernel ran on the device while it answered"


@pytest.mark.parametrize("first", [EMPTY, LOST, HIDDEN, _of(0.0)])
def test_a_record_that_is_complete_later_counts(
    monkeypatch: pytest.MonkeyPatch, first: KernelsSeen
) -> None:
    assert _traced(monkeypatch, first, _of(9.0)) == [_of(9.0)]


PARTLY = _of(9.0).model_copy(update={"unrecorded": 1})
SAID = [(LOST, "own kernel"), (_of(0.0), "without times")]


@pytest.mark.parametrize(("told", "said"), SAID)
@pytest.mark.parametrize("track", [Track.KERNEL, Track.MIXED])
def test_a_recorder_that_fails_convicts_nobody_and_acquits_nobody(
    monkeypatch: pytest.MonkeyPatch, told: KernelsSeen, said: str, track: Track
) -> None:
    (missing,) = _traced(monkeypatch, told, told, told, track=track)
    assert isinstance(missing, CheckMissing) and said in missing.reason
    assert missing.essential is (track is Track.KERNEL)


@pytest.mark.parametrize("told", [HIDDEN, PARTLY])
def test_launches_that_stay_without_a_record_are_told(
    monkeypatch: pytest.MonkeyPatch, told: KernelsSeen
) -> None:
    assert _traced(monkeypatch, told, told, told) == [told]
