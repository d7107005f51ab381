"""Tables on wide and narrow terminals."""

from __future__ import annotations

from io import StringIO

from rich.console import Console

from assay.report.headed_table import HeadedTable


def _printed(table: HeadedTable, width: int) -> list[str]:
    out = StringIO()
    Console(file=out, width=width).print(table)
    return [line.rstrip() for line in out.getvalue().splitlines() if line.strip()]


def _scores() -> HeadedTable:
    table = HeadedTable(show_footer=True)
    table.add_column("score", footer="all")
    table.add_column("value", justify="right", footer="2")
    table.add_column("of")
    table.add_row("kernelbench.fast_1", "0.100", "367 tasks")
    table.add_row("kernelbench.fast_2", "0.050", "no candidate of the run was timed on this board")
    return table


def test_a_wide_terminal_gets_a_table_with_its_sums() -> None:
    heading, _, first, *_, last = _printed(_scores(), 120)
    assert heading.split() == ["score", "value", "of"]
    assert first.split() == ["kernelbench.fast_1", "0.100", "367", "tasks"]
    assert last.split() == ["all", "2"]


def test_the_last_column_wraps_and_no_name_is_cut() -> None:
    lines = _printed(_scores(), 60)
    assert any("kernelbench.fast_2" in line and "0.050" in line for line in lines)
    assert max(map(len, lines)) <= 60 and "board" in " ".join(lines)


def test_a_narrow_terminal_gets_blocks_with_the_headings_inside() -> None:
    assert _printed(_scores(), 40) == [
        "kernelbench.fast_1",
        "  value 0.100  of 367 tasks",
        "kernelbench.fast_2",
        "  value 0.050  of no candidate of the",
        "  run was timed on this board",
        "all",
        "  value 2",
    ]
