"""Samples of several stretches, added up."""

from __future__ import annotations

import pytest

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


def test_time_in_which_nobody_was_met_is_charged_to_nobody() -> None:
    """A call of 20 ms by the clock, of which threads ran for 1 ms: the rest it waited."""
    moments = {Owner.OWN: 9.0, Owner.LIBRARY: 1.0}
    seen = Samples({Owner.OWN: 18, Owner.LIBRARY: 2}, rounds=20, moments=moments)
    spent_us = seen.looked_at_us(20_000.0, ran_us=1_000.0)
    assert seen.thread_us(Owner.LIBRARY, spent_us) == pytest.approx(100.0)
    assert seen.looked_at_us(1_000.0, ran_us=20_000.0) == 1_000.0
    assert Samples().looked_at_us(1_000.0, ran_us=1.0) == 1_000.0
