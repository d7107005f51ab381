"""A profile on a terminal."""

from __future__ import annotations

import io

from rich.console import Console

from assay.data.observations.profile import KernelRow, Profile, RooflinePosition
from assay.report.hardware.profile_text import profile_page

SENTENCES = ("The memory roof binds it.", "One kernel takes it all.")


def _shown(profile: Profile) -> list[str]:
    screen = Console(file=io.StringIO(), width=200, highlight=False, markup=False)
    screen.print(profile_page(profile, SENTENCES))
    assert isinstance(screen.file, io.StringIO)
    return [line.rstrip() for line in screen.file.getvalue().splitlines()]


def _profile(rows: int) -> Profile:
    made = [
        KernelRow(
            name=f"kernel_{n}" + "<float>" * 20 * (n == 0),
            calls=2,
            total_us=10.0,
            share=1 / rows,
            library=n > 0,
            registers=128,
            shared_bytes=2048,
            occupancy=0.5,
            grid=(512, 2, 1),
            block=(256, 1, 1),
            stalls={"long_scoreboard": 3.0, "barrier": 1.0},
        )
        for n in range(rows)
    ]
    under = RooflinePosition(
        intensity=2.0, ridge=206.0, memory_share=0.7, arithmetic_share=0.1, bound="memory"
    )
    return Profile(
        task="softmax",
        candidate="k.py",
        device="NVIDIA H200",
        time_us=12.0,
        kernels=tuple(made),
        roofline=under,
    )


def test_sentences_roofs_and_kernels() -> None:
    lines = _shown(_profile(2))
    assert lines[0] == "softmax  k.py  12.0 us a call on NVIDIA H200"
    assert [line.strip() for line in lines[1:3]] == list(SENTENCES)
    assert "2 FLOP a byte (the roofs meet at 206): 70 % of the memory roof" in lines[3]
    first, second = lines[5:7]
    assert "..." in first and "512x2" in first and "256" in first and "long scoreboard" in first
    assert second.split()[:2] == ["kernel_1", "50"] and "2.00 KiB" in second


def test_the_rest_is_counted_and_nothing_is_needed() -> None:
    assert "+4 more kernels" in _shown(_profile(12))[-1]
    bare = Profile(task="t", candidate="k.py", device="X", time_us=1.0)
    assert len(_shown(bare)) == 3
