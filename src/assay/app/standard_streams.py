"""Stdout and stderr as they were given: without some letters, full, or closed.

The rule: another program gets UTF-8 whatever the locale says, a terminal its own encoding, and a
closed stream swallows what is printed: the exit code still tells the verdict.
"""

from __future__ import annotations

import os
import sys
from io import TextIOWrapper


def set_streams() -> None:
    """For this process, which is ours from its start."""
    sys.stdout = sys.stdout or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    sys.stderr = sys.stderr or open(os.devnull, "w", encoding="utf-8")  # noqa: SIM115
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, TextIOWrapper):
            encoding = stream.encoding if stream.isatty() else "utf-8"
            stream.reconfigure(encoding=encoding, errors="backslashreplace")
