"""Samples of a task that only moves: copies count, and memcpy counts for those who move."""

from __future__ import annotations

from assay.checks.code_samples.provenance_record import provenance_seen, with_movement
from assay.data.observations.observation import ProvenanceSeen
from assay.data.settings import Track
from assay.exam.workloads.movement_tasks import CopiesCount
from assay.judge.behaviour.own_code_share import findings
from assay.judge.honesty import sampled
from assay.sampling.mapped_objects import Owner
from assay.sampling.sampler import Samples


def _seen(
    own: int, moved: int, neutral: int, copies: CopiesCount = CopiesCount.ALWAYS
) -> ProvenanceSeen:
    counts = {Owner.OWN: own, Owner.MOVEMENT: moved, Owner.NEUTRAL: neutral, Owner.INTERPRETER: 20}
    samples = Samples(counts=counts, rounds=own + moved + neutral + 20)
    return with_movement(provenance_seen(samples, 1000.0, False), samples, 1000.0, copies)


def test_copies_by_the_library_are_a_delegation() -> None:
    seen = _seen(own=0, moved=14, neutral=60)
    assert (seen.own, seen.library, seen.neutral) == (0, 74, 0) and seen.library_us > 500
    assert "delegated" in findings(sampled(seen), Track.KERNEL)[0].text


def test_an_own_loop_around_memcpy_is_none() -> None:
    seen = _seen(own=9, moved=0, neutral=60)
    assert (seen.own, seen.library) == (69, 0)
    assert findings(sampled(seen), Track.KERNEL) == ()


def test_too_few_samples_say_nothing_of_who_copies() -> None:
    assert _seen(own=0, moved=2, neutral=60).neutral == 60


def test_beside_fills_copies_count_only_for_who_does_next_to_nothing() -> None:
    decoy = _seen(own=1, moved=14, neutral=60, copies=CopiesCount.ALONE)
    assert "delegated" in findings(sampled(decoy), Track.KERNEL)[0].text
    filling = _seen(own=20, moved=14, neutral=60, copies=CopiesCount.ALONE)
    assert (filling.own, filling.library, filling.neutral) == (20, 0, 60)
