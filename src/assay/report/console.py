"""Where text goes: results on stdout, progress on stderr.

The rule: a pipe gets plain lines of any length, a terminal gets colour and its own width. A line
that another program reads must not break because a narrow width was assumed.
"""

from __future__ import annotations

import sys

from rich.console import Console

_UNBOUNDED_COLUMNS = 10_000


def result_console() -> Console:
    """The console for results."""
    return Console(
        file=sys.stdout,
        width=None if sys.stdout.isatty() else _UNBOUNDED_COLUMNS,
        highlight=False,
        markup=False,
        emoji=False,
    )


def progress_console() -> Console:
    """The console for progress and notes."""
    return Console(stderr=True, highlight=False, markup=False, emoji=False)
