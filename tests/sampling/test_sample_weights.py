"""Samples weigh by processor time: a thread that gets none says nothing."""

from __future__ import annotations

from assay.sampling.mapped_objects import Owner
from assay.sampling.sample_weights import SampleWeights

MS = 1_000_000


def _seen(*looks: tuple[int, int | None, Owner]) -> dict[Owner, int]:
    weights, counts = SampleWeights(), dict.fromkeys(Owner, 0)
    for tid, ran_ns, owner in looks:
        weights.looked(tid, ran_ns)
        weights.add(tid, owner)
        counts[owner] += 1
    return weights.counts({owner: count for owner, count in counts.items() if count})


def test_threads_that_get_no_processor_dilute_nothing() -> None:
    busy = [(1, n * MS, Owner.LIBRARY) for n in range(1, 51)]
    ready = [(tid, 0, Owner.OWN) for tid in (2, 3, 4) for _ in range(50)]
    found = _seen(*busy, *ready)
    assert found.get(Owner.OWN, 0) == 0 and found[Owner.LIBRARY] == 200


def test_time_that_was_not_looked_at_counts_for_what_is_seen_next() -> None:
    found = _seen((1, MS, Owner.OWN), (2, MS, Owner.LIBRARY), (1, 10 * MS, Owner.OWN))
    assert found == {Owner.OWN: 3, Owner.LIBRARY: 0}


def test_samples_count_alike_where_the_kernel_does_not_say() -> None:
    found = _seen((1, None, Owner.OWN), (2, None, Owner.LIBRARY), (1, None, Owner.OWN))
    assert found == {Owner.OWN: 2, Owner.LIBRARY: 1}


def test_nothing_is_lost_where_no_time_is_known() -> None:
    assert SampleWeights().counts({Owner.OWN: 4}) == {Owner.OWN: 4}
    assert SampleWeights().in_torch({Owner.LIBRARY: 4}, 3) == 3
