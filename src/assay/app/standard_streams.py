"""Letters that a stream cannot carry: what is printed never fails for one.

The rule: another program gets UTF-8 whatever the locale says, a terminal its own encoding.
"""

from __future__ import annotations

import sys
from io import TextIOWrapper


def set_encodings() -> None:
    """For stdout and stderr of this process, which is ours from its start."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")
