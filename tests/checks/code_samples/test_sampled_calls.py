"""Code sampling: how long is looked, by what was seen so far."""

from __future__ import annotations

from assay.checks.code_samples.sampled_calls import USUAL


def test_a_look_ends_soon_where_much_was_seen_and_goes_on_where_a_little_was() -> None:
    nothing, little, much = (USUAL.enough_s(seen) for seen in (0, 7, 100))
    assert much < nothing < little
