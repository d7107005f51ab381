"""Code that a compiler of the library wrote, on each track."""

from __future__ import annotations

import pytest

from assay.data.evidence import EvidenceKind, Severity
from assay.data.observations.observation import GeneratedSeen, Observation, StateSeen
from assay.data.settings import Track
from assay.judge.behaviour.kernel_generation import COUNTED, findings
from assay.judge.honesty import findings as honesty
from support.judge_inputs import case

FILES = GeneratedSeen(files=("home/inductor/ab/cab.py",))
COUNT = StateSeen(when="after the calls", name=COUNTED, detail="4")


def _on(track: Track, *seen: Observation) -> list[tuple[EvidenceKind, Severity]]:
    given = case(*seen, track=track)
    return [(e.kind, e.severity) for e in findings(given)]


@pytest.mark.parametrize("seen", [FILES, COUNT])
def test_it_convicts_on_kernel_is_noted_on_mixed_and_free_on_open(seen: Observation) -> None:
    kind = EvidenceKind.GENERATED_KERNEL
    assert _on(Track.KERNEL, seen) == [(kind, Severity.CONVICTS)]
    assert _on(Track.MIXED, seen) == [(kind, Severity.NOTE)]
    assert _on(Track.OPEN, seen) == []


def test_nothing_generated_is_nothing_said_and_unread_is_unknown() -> None:
    assert _on(Track.KERNEL, GeneratedSeen()) == []
    unread = GeneratedSeen(reason="more than 9 files")
    assert _on(Track.KERNEL, unread) == [(EvidenceKind.UNKNOWN, Severity.NOTE)]


def test_the_count_is_not_taken_for_a_patched_library() -> None:
    kinds = {e.kind for e in honesty(case(COUNT))}
    assert EvidenceKind.GENERATED_KERNEL in kinds and EvidenceKind.PATCHED_STATE not in kinds
