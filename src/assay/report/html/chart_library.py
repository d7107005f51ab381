"""The charting script: plotly.js, as the installed `plotly` package ships it (MIT licence).

The rule: the script is read from that package and never from the network. Where it is not
installed the report has only charts that need no script, and says how to get the others.
"""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

INSTALL = "pip install 'kernel-assay[report]'"
_SCRIPT = Path("package_data", "plotly.min.js")


def script_path() -> Path | None:
    """Where the script lies; None where it is not installed. The package is not imported."""
    found = find_spec("plotly")
    folders = (found.submodule_search_locations or ()) if found else ()
    paths = [Path(folder) / _SCRIPT for folder in folders]
    return next((path for path in paths if path.is_file()), None)


def chart_script() -> str:
    """The script, licence notice included; empty where it is not installed."""
    path = script_path()
    return path.read_text(encoding="utf-8") if path else ""
