"""Headings and figures of other people's tables."""

from __future__ import annotations

import pytest

from assay.engine.claims.claim_columns import (
    Column,
    RowFields,
    column_of,
    figure,
    sizes,
    truth,
    unknown_columns,
)


@pytest.mark.parametrize(
    ("title", "column"),
    [
        ("Task", Column("task")),
        ("Claimed Speedup", Column("speedup")),
        ("speedup_vs_torch", Column("speedup")),
        ("GB/s", Column("bytes_per_s", 1e9)),
        ("Throughput (GB/s)", Column("bytes_per_s", 1e9)),
        ("bandwidth_TB/s", Column("bytes_per_s", 1e12)),
        ("TFLOP/s", Column("flops_per_s", 1e12)),
        ("GFLOPS", Column("flops_per_s", 1e9)),
        ("µs", Column("time_us", 1.0)),
        ("time [ms]", Column("time_us", 1e3)),
        ("latency_ns", Column("time_us", 1e-3)),
        ("torch_ms", Column("baseline_us", 1e3)),
        ("reported correctness", Column("correct")),
        ("GPU", Column("device")),
        ("runtime", None),  # in which unit?
        ("x y", None),
        ("", None),
    ],
)
def test_a_heading_says_what_and_in_which_unit(title: str, column: Column | None) -> None:
    assert column_of(title) == column


def test_headings_that_say_nothing_are_listed() -> None:
    assert unknown_columns(["task", "runtime", "notes"]) == ["runtime", "notes"]


@pytest.mark.parametrize(
    ("text", "value"), [("3.2x", 3.2), ("83,972", 83972), (" 1e3 ", 1000), (5, 5), ("2×", 2)]
)
def test_figures_as_people_write_them(text: object, value: float) -> None:
    assert figure(text) == value


@pytest.mark.parametrize("text", ["fast", "1,5", "nan", "inf", "-1", "0", "", "x", True, None, []])
def test_what_is_no_positive_number_is_not_taken(text: object) -> None:
    with pytest.raises(ValueError, match="is no"):
        figure(text)


def test_yes_and_no() -> None:
    assert truth("Yes") and truth(True) and truth("1") and truth("passed")
    assert not (truth("no") or truth(0) or truth("FAILED"))
    with pytest.raises(ValueError, match="neither"):
        truth("maybe")


def test_sizes_of_a_text_or_an_object() -> None:
    assert sizes("rows=512, cols=8") == sizes({"rows": 512, "cols": 8}) == {"rows": 512, "cols": 8}
    with pytest.raises(ValueError, match="NAME=SIZE"):
        sizes("512x8")


def test_what_cannot_be_read_is_noted_and_the_rest_is_taken() -> None:
    row = {"task": "softmax", "time_ms": "0.5", "speedup": "fast", "correct": "perhaps", "code": ""}
    fields = RowFields.of(row)
    assert fields.texts == {"task": "softmax"} and fields.figures == {"time_us": 500.0}
    assert [one.partition(":")[0] for one in fields.unread] == ["speedup", "correct"]
