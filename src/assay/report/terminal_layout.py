"""Rows of text in columns, as wide as they need to be.

The rule: where the width allows it a row is one line without trailing spaces. On a narrow terminal
the last column is wrapped, then cells go below each other with their headings; no word is cut
unless it alone is wider than the terminal.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

Cell = str | Text
_LEAST_LAST = 24  # columns that the last cell must have, else cells go below each other
_GLUED_MOST = 24  # a longer cell is a sentence, which may be wrapped


@dataclass
class Columns:
    """Rows of one length. `headings` stand above them in one line, or before each cell."""

    headings: tuple[str, ...] = ()
    indent: int = 0
    gap: int = 3
    rows: list[tuple[Text, ...]] = field(default_factory=list)

    def add_row(self, *cells: Cell) -> None:
        """Add one row."""
        self.rows.append(tuple(Text(c) if isinstance(c, str) else c for c in cells))

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        """One line a row where that fits."""
        heading = [tuple(Text(name, style="dim") for name in self.headings)]
        lines = [*(heading if self.headings else []), *self.rows]
        widths = _widths(lines)
        room = options.max_width - self.indent
        before = sum(width + self.gap for width in widths[:-1])
        last = widths[-1] if widths else 0
        wraps = len(widths) == 1 or (not self.headings and room - before >= _LEAST_LAST)
        if before + last <= room or wraps:
            for row in lines:
                yield from self._beside(row, widths, console, room - before)
        else:
            for row in self.rows:
                yield from self._below(row, console, room)

    def _beside(
        self, row: Sequence[Text], widths: list[int], console: Console, room: int
    ) -> Iterator[Text]:
        first = Text(" " * self.indent)
        for cell, width in zip(row[:-1], widths, strict=False):
            padding = width + self.gap - cell.cell_len
            first.append_text(cell).append(" " * padding)
        hanging = first.cell_len
        for number, part in enumerate(_wrapped(row[-1], console, room) or [Text()]):
            start = first if number == 0 else Text(" " * hanging)
            yield _line(start.append_text(part))

    def _below(self, row: Sequence[Text], console: Console, room: int) -> Iterator[Text]:
        """The first cell, and below it the others with their headings."""
        joined = Text()
        for number, cell in enumerate(row[1:], 1):
            if not cell.plain.strip():
                continue
            joined.append("  " if joined else "")
            if self.headings and self.headings[number]:
                # a no-break space keeps heading and figure on one line
                joined.append(f"{self.headings[number]}\u00a0", "dim")
            if self.headings and cell.cell_len <= _GLUED_MOST:
                cell = Text(cell.plain.replace(" ", "\u00a0"), style=cell.style)
            joined.append_text(cell)
        for part in _wrapped(row[0], console, room):
            yield _line(Text(" " * self.indent).append_text(part))
        for part in _wrapped(joined, console, max(room - 2, 1)):
            part.plain = part.plain.replace("\u00a0", " ")
            yield _line(Text(" " * (self.indent + 2)).append_text(part))


def indented(text: Text, indent: int = 2) -> Columns:
    """A paragraph whose lines all begin at `indent`."""
    block = Columns(indent=indent)
    block.add_row(text)
    return block


def _widths(rows: Sequence[Sequence[Text]]) -> list[int]:
    columns = zip(*rows, strict=True)
    return [max(max(map(len, cell.plain.split("\n"))) for cell in column) for column in columns]


def _wrapped(text: Text, console: Console, width: int) -> list[Text]:
    return list(text.wrap(console, max(width, 1), overflow="fold"))


def _line(text: Text) -> Text:
    text.rstrip()
    text.no_wrap, text.overflow = True, "ignore"
    return text
