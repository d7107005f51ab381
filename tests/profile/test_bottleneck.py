"""Each thing that can bind a kernel, on either side of its threshold."""

from __future__ import annotations

import pytest

from assay.data.observations.profile import KernelRow, Profile, RooflinePosition
from assay.profile.bottleneck import sentences


def _row(**about: object) -> KernelRow:
    fields = {"name": "mine", "calls": 1, "total_us": 10.0, "share": 1.0, "library": False}
    return KernelRow.model_validate(fields | about)


def _profile(
    *rows: KernelRow, memory: float = 0.3, arithmetic: float = 0.1, **about: object
) -> Profile:
    under = RooflinePosition(
        intensity=1.0,
        ridge=10.0,
        memory_share=memory,
        arithmetic_share=arithmetic,
        bound="memory",
    )
    fields = {
        "task": "t",
        "candidate": "k.py",
        "device": "X",
        "time_us": 10.0,
        "kernels": rows,
        "roofline": under,
    }
    return Profile.model_validate(fields | about)


STALLED = {"long_scoreboard": 12.0, "barrier": 3.0}


@pytest.mark.parametrize(
    ("profile", "begins"),
    [
        (_profile(_row(), launch_us=12.0, memory=0.9), "Launch overhead binds it: the host"),
        (_profile(_row(total_us=6.9), memory=0.9), "Launch overhead binds it: its 1 launches"),
        (_profile(_row(total_us=7.1), memory=0.6), "The memory roof binds it"),
        (_profile(_row(), arithmetic=0.6), "The arithmetic roof binds it"),
        (_profile(_row(memory_busy=0.75), memory=0.59), "Memory traffic binds it"),
        (_profile(_row(arithmetic_busy=0.75)), "Instructions bind it"),
        (_profile(_row(memory_busy=0.74, occupancy=0.2)), "Latency binds it: only 20 %"),
        (_profile(_row(occupancy=0.3, stalls=STALLED)), "Latency binds it: no unit is busy"),
        (_profile(_row()), "Neither roof is near, and no counter"),
        (_profile(_row(occupancy=0.3)), "Neither roof is near, and no counter"),
        (_profile(_row(occupancy=0.2)), "Neither roof is near; its resources let at most 20 %"),
        (_profile(), "Neither roof is near"),
    ],
)
def test_the_first_reason_that_its_threshold_shows(profile: Profile, begins: str) -> None:
    assert sentences(profile)[0].startswith(begins)


def test_latency_names_what_limits_and_what_is_waited_for() -> None:
    row = _row(occupancy=0.12, occupancy_limit="registers", stalls=STALLED)
    first, _ = sentences(_profile(row))
    assert "12 %" in first and "limited by registers" in first and "long scoreboard" in first


def test_traffic_that_need_not_be_is_told_from_the_roof() -> None:
    first, _ = sentences(_profile(_row(memory_busy=0.9), memory=0.3))
    assert "90 %" in first and "30 %" in first


@pytest.mark.parametrize(
    ("share", "says"), [(0.5, "Library kernels take 50 %"), (0.4, "mine, the")]
)
def test_the_second_sentence_says_where_the_time_goes(share: float, says: str) -> None:
    own = _row(share=1 - share, total_us=10 * (1 - share))
    library = _row(name="ampere_sgemm", library=True, share=share, total_us=10 * share)
    _, second = sentences(_profile(own, library))
    assert second.startswith(says)


def test_every_profile_gives_two_whole_sentences() -> None:
    for profile in (_profile(), _profile(_row()), _profile(_row(), roofline=None)):
        assert all(text.endswith(".") and "\n" not in text for text in sentences(profile))
    assert "no permission" in sentences(_profile(reason="no permission"))[1]
