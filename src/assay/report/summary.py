"""Many verdicts as a table that grows: one row a candidate, printed the moment it is known.

The rule: every row has the same columns whatever comes later, so widths are settled before the
first row from the names alone. The reason is last, and on a narrow terminal below its row.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

from assay.data.verdict import Status, Verdict
from assay.report import colours, words
from assay.report.terminal_layout import Columns

_STATUS_WIDTH = max(len(status.value) for status in Status)
_ANSWER_WIDTH = len("suspicious")
_NAME_WIDTH_MAX = 40  # on a terminal; a pipe has room for any name
_BESIDE_NAME = 120
_REASON_WIDTH_MIN = 40


@dataclass
class SummaryTable:
    """Rows in the order they are added; `close` prints the tally."""

    console: Console
    names: Sequence[str]  # to show for the candidates, in the order their verdicts will come
    extra_column: str = ""  # heading of one more column, filled by `extra`
    verdicts: list[Verdict] = field(default_factory=list)

    def open(self) -> None:
        """Print the headings."""
        self._print([*self._headings(), "reason"], "dim")

    def section(self, name: str) -> None:
        """Print a heading above the rows that follow."""
        self.console.print(Text(name, style="bold"))

    def add(self, verdict: Verdict, extra: Text | None = None) -> None:
        """Print one row."""
        name = self.names[len(self.verdicts)]
        self.verdicts.append(verdict)
        cells: list[str | Text] = [
            name,
            Text(verdict.status.value, style=colours.STATUS[verdict.status]),
            Text(verdict.correct.value, style=colours.ANSWER[verdict.correct.value]),
            Text(verdict.honest.value, style=colours.ANSWER[verdict.honest.value]),
            words.fast(verdict),
        ]
        if self.extra_column:
            cells.append(extra or Text("-"))
        self._print([*cells, verdict.reason])

    def close(self) -> None:
        """Print the tally with its denominator."""
        self.console.print(Text(words.tally(self.verdicts), style="bold"))

    def _print(self, cells: Sequence[str | Text], style: str = "") -> None:
        """One row; where it leaves the reason no room, the reason gets a line of its own."""
        widths = self._widths()
        if sum(width + 2 for width in widths) > self.console.width:
            self._print_block(cells) if not style else None
            return
        table = Table.grid(padding=(0, 2))
        for width in widths:
            table.add_column(width=width, overflow="fold")
        roomy = self.console.width - sum(width + 2 for width in widths) >= _REASON_WIDTH_MIN
        if roomy:
            table.add_column(overflow="fold")
        table.add_row(*(cells if roomy else cells[:-1]), style=style)
        self.console.print(table)
        if not roomy and not style:
            self.console.print(Padding(Text(str(cells[-1]), style="dim"), (0, 0, 0, 4)))

    def _print_block(self, cells: Sequence[str | Text]) -> None:
        """One row where the terminal has no room for its columns: headings stand inside."""
        block = Columns(headings=(*self._headings(), ""))
        block.add_row(*cells)
        self.console.print(block)

    def _headings(self) -> list[str]:
        extra = [self.extra_column] if self.extra_column else []
        return ["candidate", "status", "right", "honest", "fast", *extra]

    def _widths(self) -> list[int]:
        longest = max((len(name) for name in self.names), default=0)
        widest = max(_NAME_WIDTH_MAX, self.console.width - _BESIDE_NAME)
        widths = [min(max(longest, 9), widest), _STATUS_WIDTH, 7, _ANSWER_WIDTH, 7]
        if self.extra_column:
            widths.append(max(len(self.extra_column), _STATUS_WIDTH))
        return widths
