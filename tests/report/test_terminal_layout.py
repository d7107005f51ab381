"""Columns: one line a row where there is room; on a narrow terminal nothing is cut."""

from __future__ import annotations

from io import StringIO

from rich.console import Console
from rich.text import Text

from assay.report.terminal_layout import Columns, indented

ROWS = (("softmax", "4.19 MB", "1.75 us"), ("a_task_of_a_long_name", "-", "12345678.25 us"))


def shown(columns: Columns, width: int) -> list[str]:
    file = StringIO()
    Console(file=file, width=width).print(columns)
    return file.getvalue().splitlines()


def table(headings: tuple[str, ...] = ("task", "read", "least time")) -> Columns:
    columns = Columns(headings)
    for row in ROWS:
        columns.add_row(*row)
    return columns


def test_a_row_is_one_line_without_trailing_spaces() -> None:
    assert shown(table(), 10_000) == [
        "task                    read      least time",
        "softmax                 4.19 MB   1.75 us",
        "a_task_of_a_long_name   -         12345678.25 us",
    ]


def test_a_narrow_terminal_puts_named_cells_below_and_cuts_no_figure() -> None:
    assert shown(table(), 40) == [
        "softmax",
        "  read 4.19 MB  least time 1.75 us",
        "a_task_of_a_long_name",
        "  read -  least time 12345678.25 us",
    ]


def test_without_headings_the_last_cell_wraps_under_itself() -> None:
    columns = Columns(indent=2)
    columns.add_row("ok", "one two three four five six seven eight nine")
    assert shown(columns, 35) == [
        "  ok   one two three four five six",
        "       seven eight nine",
    ]


def test_a_paragraph_keeps_its_lines_and_its_indent() -> None:
    assert shown(indented(Text("first\nsecond line")), 10) == ["  first", "  second", "  line"]


def test_no_columns_print_nothing() -> None:
    assert shown(Columns(), 80) == []
