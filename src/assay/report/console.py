"""Where text goes: results on stdout, progress on stderr.

The rule: a pipe gets plain lines of any length, a terminal gets colour and its own width. A line
that another program reads must not break because a narrow width was assumed. What a candidate
said never reaches the terminal as a command: an escape sequence could overwrite its verdict.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

_UNBOUNDED_COLUMNS = 10_000
_LAYOUT = "\n\t\u00a0"


def without_controls(text: str) -> str:
    """The text with every character that is not shown, but obeyed, as its code in words."""
    if text.isprintable():
        return text
    return "".join(c if c.isprintable() or c in _LAYOUT else f"U+{ord(c):04X}" for c in text)


class PlainTextConsole(Console):
    """A console that shows control characters within texts instead of obeying them."""

    def render(
        self, renderable: RenderableType, options: ConsoleOptions | None = None
    ) -> Iterable[Segment]:
        """Segments; those that rich itself adds as control stay as they are."""
        for text, style, control in super().render(renderable, options):
            yield Segment(text if control else without_controls(text), style, control)


def result_console() -> Console:
    """The console for results."""
    return PlainTextConsole(
        file=sys.stdout,
        width=None if sys.stdout.isatty() else _UNBOUNDED_COLUMNS,
        highlight=False,
        markup=False,
        emoji=False,
    )


def progress_console() -> Console:
    """The console for progress and notes."""
    return PlainTextConsole(stderr=True, highlight=False, markup=False, emoji=False)
