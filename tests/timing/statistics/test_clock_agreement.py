"""When a child's clock is confirmed, short, a lie, or unknown; made-up rounds of 50 ms."""

from __future__ import annotations

import random

import pytest

from assay.data.observations.measurement import ClockRound
from assay.timing.statistics.clock_agreement import (
    ClockAnswer,
    clock_answer,
    inside_share,
    scatter_us,
)

NET_US = 50_000.0


def _rounds(
    share: float, empty_us: float = 1000.0, scatter: float = 100.0, waited_us: float = 0.0
) -> list[ClockRound]:
    """Ten rounds; the clock shows a share of the time, and waiting lies outside of its calls."""
    rng = random.Random(1)
    made = []
    for _ in range(10):
        empty, own = (empty_us + rng.uniform(0, scatter) for _ in range(2))
        made.append(
            ClockRound(
                calls=50,
                outside_us=NET_US + own + waited_us,
                empty_us=empty,
                inside_us=share * NET_US,
                waited_us=waited_us,
            )
        )
    return made


@pytest.mark.parametrize(
    ("share", "answer"),
    [
        (1.0, ClockAnswer.CONFIRMED),
        (0.97, ClockAnswer.CONFIRMED),
        (1.2, ClockAnswer.CONFIRMED),  # too much inside is no advantage
        (0.8, ClockAnswer.SHORT),
        (0.2, ClockAnswer.LIE),
        (0.0, ClockAnswer.LIE),
    ],
)
def test_on_a_quiet_machine_the_share_decides(share: float, answer: ClockAnswer) -> None:
    assert clock_answer(_rounds(share)) is answer


def test_waiting_for_a_processor_explains_missing_time() -> None:
    rounds = _rounds(1.0, waited_us=200_000.0)
    assert inside_share(rounds) < 0.5
    assert clock_answer(rounds) is ClockAnswer.UNKNOWN


def test_waiting_does_not_explain_more_than_it_took() -> None:
    assert clock_answer(_rounds(0.05, waited_us=5_000.0)) is ClockAnswer.LIE


def test_empty_batches_that_scatter_like_the_time_itself_hide_the_answer() -> None:
    rounds = _rounds(0.05, scatter=3 * NET_US)
    assert clock_answer(rounds) is ClockAnswer.UNKNOWN
    assert clock_answer(_rounds(1.0, scatter=3 * NET_US)) is not ClockAnswer.LIE


def test_one_stray_round_hides_nothing() -> None:
    rounds = _rounds(0.2)
    stray = rounds[3].model_copy(update={"empty_us": 90_000.0})
    assert clock_answer([*rounds[:3], stray, *rounds[4:]]) is ClockAnswer.LIE
    assert scatter_us([*rounds[:3], stray, *rounds[4:]]) <= 100.0


def test_the_length_of_a_batch_is_no_scatter() -> None:
    rounds = [
        ClockRound(calls=n, outside_us=11.0 * n, empty_us=1.0 * n, inside_us=10.0 * n, waited_us=0)
        for n in range(10, 20)
    ]
    assert scatter_us(rounds) == pytest.approx(0.0, abs=1e-9)


def test_honest_sides_under_load_are_never_called_liars_more_often_than_stated() -> None:
    """Costs of candidate and null batch are drawn alike, heavy-tailed and far above the time."""
    rng = random.Random(7)
    lies = 0
    for _ in range(1000):
        rounds = []
        for _ in range(10):
            own, null = (1000.0 * rng.paretovariate(1.1) for _ in range(2))
            rounds.append(
                ClockRound(
                    calls=50, outside_us=100 + own, empty_us=null, inside_us=100, waited_us=0
                )
            )
        lies += clock_answer(rounds) is ClockAnswer.LIE
    assert lies <= 29  # 2.9 % of ten rounds
