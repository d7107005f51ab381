"""Where text goes: results on stdout, progress on stderr.

The rule: a pipe gets plain lines of any length, a terminal gets colour and its own width. A line
that another program reads must not break because a narrow width was assumed.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable

from rich.console import Console, ConsoleOptions, RenderableType
from rich.segment import Segment

from assay.report.control_characters import without_controls

_UNBOUNDED_COLUMNS = 10_000


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
