"""An agent of few words: it does what the environment variable SCRIPT says, in Python."""

from __future__ import annotations

import os
import sys

if __name__ == "__main__":
    exec(os.environ["SCRIPT"], {"prompt": sys.argv[-1]})
