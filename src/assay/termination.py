"""Termination: a polite kill or a closed terminal unwinds like Ctrl-C, and nothing is left behind.

The rule: who is asked to end does end. While a library is imported its code, or C code that called
it, can lose an exception; so the demand is repeated until it is on its way out.
"""

from __future__ import annotations

import contextlib
import signal
import sys
from collections.abc import Iterator
from types import FrameType

from assay.errors import Terminated

_POLITE = (signal.SIGTERM, signal.SIGHUP)
_INSIST_EVERY_S = 0.5


@contextlib.contextmanager
def termination() -> Iterator[None]:
    """Within it, those signals raise `Terminated`; one that is ignored stays so."""

    def leave(number: int, _: FrameType | None) -> None:
        def insist(_: int, __: FrameType | None) -> None:
            if not _on_its_way():
                raise Terminated(number)

        signal.signal(signal.SIGALRM, insist)
        signal.setitimer(signal.ITIMER_REAL, _INSIST_EVERY_S, _INSIST_EVERY_S)
        raise Terminated(number)

    for number in _POLITE:
        if signal.getsignal(number) is signal.SIG_DFL:
            signal.signal(number, leave)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0.0)


def _on_its_way() -> bool:
    """Whether what is being done now is done because of it: cleaning up, or losing it again."""
    error = sys.exc_info()[1]
    while error is not None and not isinstance(error, Terminated):
        error = error.__context__
    return error is not None
