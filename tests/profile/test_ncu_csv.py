"""What the profiler prints, read by the names of its columns."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.errors import HostError
from assay.profile.ncu_csv import METRICS, parse_ncu

TEXT = (Path(__file__).parent / "ncu" / "three_launches.csv").read_text()


def test_every_launch_is_read_with_its_figures() -> None:
    first, second, fill = parse_ncu(TEXT)
    assert (first.name, first.time_us, first.registers) == ("softmax_rows", 30.0, 128)
    assert first.shared_bytes == 4096 + 1024
    assert (first.grid, first.block) == ((512, 1, 1), (256, 1, 1))
    assert first.occupancy == pytest.approx(0.2) and first.occupancy_limit == "registers"
    assert first.memory_busy == pytest.approx(0.8)
    assert first.arithmetic_busy == pytest.approx(0.2)
    assert first.stalls == {"barrier": 1.5, "long_scoreboard": 12.25}
    assert second.grid == (512, 2, 1)
    assert "at::native" in fill.name


def test_what_is_not_said_is_none() -> None:
    fill = parse_ncu(TEXT)[2]
    assert fill.memory_busy is None and fill.arithmetic_busy is None and fill.stalls is None
    assert fill.shared_bytes == 0 and fill.occupancy_limit == "warps"


@pytest.mark.parametrize(("unit", "time_us"), [("us", 3e4), ("msecond", 3e7), ("nsecond", 30.0)])
def test_units_are_those_of_the_second_row(unit: str, time_us: float) -> None:
    assert parse_ncu(TEXT.replace('"ns"', f'"{unit}"'))[0].time_us == pytest.approx(time_us)


def test_an_unknown_unit_or_no_time_or_no_table_is_an_error() -> None:
    with pytest.raises(HostError, match="fortnight"):
        parse_ncu(TEXT.replace('"ns"', '"fortnight"'))
    with pytest.raises(HostError, match="no time for softmax_rows"):
        parse_ncu(TEXT.replace("gpu__time_duration.sum", "other"))
    with pytest.raises(HostError, match="no table"):
        parse_ncu("==PROF== No kernels were profiled.\n")


def test_a_table_without_launches_is_empty() -> None:
    assert parse_ncu("\n".join(TEXT.splitlines()[:4])) == ()


def test_the_metrics_that_are_read_are_those_asked_for() -> None:
    columns = TEXT.splitlines()[2].replace('"', "").split(",")[11:]
    asked = [name for name in METRICS if not name.startswith("regex:")]
    assert set(asked) <= set(columns)


def test_what_is_no_reason_to_wait_is_left_out() -> None:
    same = "smsp__average_warps_issue_stalled_{}_per_issue_active.ratio"
    for other in ("selected", "barrier_not_issued"):
        first = parse_ncu(TEXT.replace(same.format("barrier"), same.format(other)))[0]
        assert first.stalls == {"long_scoreboard": 12.25}
