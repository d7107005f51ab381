"""Figures in words: one unit, few digits."""

from __future__ import annotations

import pytest

from assay.data.observations.measurement import Difference
from assay.data.verdict import Limits, Status
from assay.data.workload import Direction, Layout
from assay.report import words
from sample_records import TIMING, row, verdict


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (0.5, "0.50 us"),
        (12.345, "12.3 us"),
        (999.7, "1.00 ms"),
        (1500, "1.50 ms"),
        (2.5e6, "2.50 s"),
    ],
)
def test_times_have_three_digits(value: float, text: str) -> None:
    assert words.microseconds(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(512, "512 B"), (48 * 1024, "48.0 KiB"), (2**20, "1.00 MiB"), (2**40, "1024 GiB")],
)
def test_sizes_are_binary(value: float, text: str) -> None:
    assert words.byte_size(value) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(7.21e9, "7.21 GB/s"), (999e9, "999 GB/s"), (4.3e12, "4.30 TB/s"), (788e12, "788 TB/s")],
)
def test_rates_are_decimal(value: float, text: str) -> None:
    assert words.rate(value, "B/s") == text


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (-1, "just now"),
        (59, "just now"),
        (60, "1 minute ago"),
        (7300, "2 hours ago"),
        (9e5, "10 days ago"),
    ],
)
def test_ages(seconds: float, text: str) -> None:
    assert words.age(seconds) == text


@pytest.mark.parametrize(
    ("share", "text"),
    [(None, "-"), (0.0, "0 %"), (0.0312, "3.12 %"), (1.5, "150 %"), (312.0, "312 x")],
)
def test_budget_shares(share: float | None, text: str) -> None:
    assert words.budget_share(share) == text


def test_a_speedup_carries_its_interval_and_both_times() -> None:
    assert words.speedup(TIMING) == "2.00x eager [1.90 2.10]: 120 us against 240 us"


@pytest.mark.parametrize(
    ("host", "bound", "shown"),
    [
        ((1.0, 0.9, 1.1), True, True),
        ((1.0, 0.9, 1.1), False, True),  # the intervals are apart
        ((2.0, 1.8, 2.2), True, True),  # launch-bound: both, though they agree
        ((2.0, 1.8, 2.2), False, False),
        ((None, None, None), True, False),
    ],
)
def test_the_hosts_ratio_stands_beside_the_devices_where_they_differ(
    host: tuple[float | None, ...], bound: bool, shown: bool
) -> None:
    names = ("host_speedup", "host_speedup_low", "host_speedup_high")
    known = {"launch_bound": bound, **dict(zip(names, host, strict=True))}
    text = words.speedup(TIMING.model_copy(update=known))
    assert text.startswith("2.00x eager [1.90 2.10]")
    assert ("with the host's time" in text) is shown


def test_a_speedup_says_what_it_shows() -> None:
    shown = TIMING.model_copy(update={"difference": Difference.FASTER, "launch_bound": True})
    assert words.speedup(shown) == (
        "2.00x eager [1.90 2.10] faster, launch-bound: 120 us against 240 us"
    )


def test_the_speed_of_light_names_its_bound() -> None:
    limits = Limits(bytes=1, flops=0, sol_us=1.0, sol_fraction=0.634, bound="memory")
    assert words.light(limits) == "63 % of the speed of light (memory)"
    below = limits.model_copy(update={"sol_fraction": 1.0, "violation": True})
    assert words.light(below) == "100 % of the speed of light (memory, below the floor)"
    assert words.light(limits.model_copy(update={"sol_fraction": None})) == ""


def test_a_workload_names_only_what_is_special() -> None:
    assert words.workload(row(7)) == "rows=4 cols=7 float32"
    special = row(7).model_copy(update={"layout": Layout.STRIDED, "direction": Direction.BACKWARD})
    assert words.workload(special) == "rows=4 cols=7 float32 strided backward"


def test_a_tally_has_its_denominator() -> None:
    many = [verdict(Status.INCORRECT), verdict(), verdict()]
    assert words.tally(many) == "2 accepted, 1 incorrect of 3"
    assert words.tally([]) == "nothing judged of 0"
