"""A throw-away process for what cannot be undone: filters, capabilities, roots."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap
from typing import Any


def run_confined(source: str, *arguments: str) -> Any:
    """Run the source in a process of its own; the value of its `answer`."""
    text = f"import json, os, sys\n{textwrap.dedent(source)}\nprint(json.dumps(answer))\n"
    command = [sys.executable, "-c", text, *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=240, check=False)
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout.splitlines()[-1])
