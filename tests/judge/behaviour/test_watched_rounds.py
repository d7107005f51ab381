"""Watched rounds: the processor time of calls that are looked at, beside that of others."""

from __future__ import annotations

from assay.data.evidence import EvidenceKind, Severity
from assay.data.observations.observation import TimesSeen
from assay.judge.behaviour.watched_rounds import findings

_OTHERS = (5.0, 5.1, 4.9, 5.3, 5.0, 5.2, 6.0)


def test_who_needs_more_processor_time_while_it_is_watched_is_suspicious() -> None:
    (found,) = findings(TimesSeen(ran_us=_OTHERS, sampled_ran_us=(30.0, 28.0, 33.0)))
    assert found.kind is EvidenceKind.PHASE and found.severity is Severity.SUSPICIOUS
    assert "5.9 times" in found.text


def test_one_sampled_round_like_the_others_acquits() -> None:
    assert not findings(TimesSeen(ran_us=_OTHERS, sampled_ran_us=(30.0, 6.0, 33.0)))


def test_few_rounds_and_scattered_ones_say_nothing() -> None:
    assert not findings(TimesSeen(ran_us=_OTHERS, sampled_ran_us=(30.0, 33.0)))
    scattered = (5.0, 40.0, 5.0, 45.0, 5.0, 44.0, 5.0)
    assert not findings(TimesSeen(ran_us=scattered, sampled_ran_us=(30.0, 28.0, 33.0)))


def test_what_samples_cost_short_calls_is_no_other_work() -> None:
    """As seen on two cores: calls of 70 us, with a sample every 100 us."""
    others = (77.0, 84.0, 68.0, 70.0, 82.0, 103.0, 146.0)
    assert not findings(TimesSeen(ran_us=others, sampled_ran_us=(130.0, 122.0, 110.0, 191.0)))
