"""A table with headings that stays readable on a narrow terminal.

The rule: only the last column wraps. Where the others leave it no room, each row becomes a block
with its headings inside, because a cut name ("kernelbench.fast...") could be any of seven.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Literal

from rich import box
from rich.console import Console, ConsoleOptions, RenderableType, RenderResult
from rich.table import Table
from rich.text import Text

from assay.report.terminal_layout import Cell, Columns

Side = Literal["left", "right"]
_LEAST_LAST = 24  # columns for the last cell, else rows become blocks
_FRAME = 3  # of each column: a space on both sides and one between


@dataclass(frozen=True)
class _Heading:
    name: str
    side: Side
    footer: str


@dataclass
class HeadedTable:
    """Columns first, then rows of as many cells."""

    show_footer: bool = False
    _headings: list[_Heading] = field(default_factory=list)
    _rows: list[tuple[Text, ...]] = field(default_factory=list)

    @classmethod
    def of(cls, *names: str) -> HeadedTable:
        """With these headings, all on the left."""
        table = cls()
        for name in names:
            table.add_column(name)
        return table

    def add_column(self, name: str, justify: Side = "left", footer: str = "") -> None:
        """Add one column; the footer is its cell in the row of sums."""
        self._headings.append(_Heading(name, justify, footer))

    def add_row(self, *cells: Cell) -> None:
        """Add one row."""
        self._rows.append(tuple(Text(c) if isinstance(c, str) else c for c in cells))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """A table where it fits, else blocks."""
        yield self._table() if self._fits(options.max_width) else self._blocks()

    def _fits(self, width: int) -> bool:
        *widths, last = [self._width(number) for number in range(len(self._headings))]
        return sum(widths) + min(last, _LEAST_LAST) + _FRAME * (len(widths) + 1) <= width

    def _width(self, number: int) -> int:
        heading = self._headings[number]
        cells = [row[number].cell_len for row in self._rows]
        return max(len(heading.name), len(heading.footer), *cells, 0)

    def _table(self) -> RenderableType:
        table = Table(box=box.SIMPLE, show_footer=self.show_footer)
        for number, one in enumerate(self._headings, 1):
            wraps = number == len(self._headings)
            table.add_column(
                one.name, one.footer, justify=one.side, no_wrap=not wraps, overflow="fold"
            )
        for row in self._rows:
            table.add_row(*row)
        return table

    def _blocks(self) -> RenderableType:
        blocks = Columns(headings=tuple(one.name for one in self._headings))
        for row in self._all_rows():
            blocks.add_row(*row)
        return blocks

    def _all_rows(self) -> Iterator[tuple[Cell, ...]]:
        yield from self._rows
        if self.show_footer:
            yield tuple(one.footer for one in self._headings)
