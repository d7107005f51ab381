"""Letters that the locale cannot write."""

from __future__ import annotations

import os
import subprocess
import sys

_PROGRAM = "from assay.app.standard_streams import set_streams as s; s(); print('\\u2192\\udcff')"


def test_a_pipe_gets_utf8_whatever_the_locale_says() -> None:
    environment = {**os.environ, "PYTHONIOENCODING": "ascii"}
    done = subprocess.run(
        [sys.executable, "-c", _PROGRAM], env=environment, capture_output=True, check=True
    )
    assert done.stdout == "\u2192\\udcff\n".encode()
