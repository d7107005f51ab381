"""Samples of several stretches, added up."""

from __future__ import annotations

from assay.sampling.mapped_objects import Owner
from assay.sampling.sample_sum import together
from assay.sampling.sampler import Samples


def test_counts_names_and_times_add_up() -> None:
    one = Samples({Owner.OWN: 3}, (("a", 1), ("b", 2)), total=3, rounds=2, seconds=0.5)
    other = Samples({Owner.OWN: 1, Owner.LIBRARY: 4}, (("a", 4),), in_torch=2, total=5, rounds=4)
    found = together([one, other])
    assert found.counts == {Owner.OWN: 4, Owner.LIBRARY: 4}
    assert found.objects == (("a", 5), ("b", 2))
    assert (found.in_torch, found.total, found.rounds, found.seconds) == (2, 8, 6, 0.5)


def test_a_reason_stands_only_where_nothing_was_seen() -> None:
    failed, seen = Samples(reason="refused"), Samples({Owner.OWN: 1}, total=1)
    assert together([failed, failed]).reason == "refused"
    assert together([failed, seen]).reason == ""
    assert together([]) == Samples()
