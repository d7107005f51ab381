"""What `assay import` accepts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from assay.app.flags import JsonFlag


@dataclass(frozen=True)
class ImportFlags:
    """`assay import`."""

    format: Annotated[
        str,
        typer.Argument(metavar="FORMAT", help="Whose: kernelbench, kernelbench_x or openevolve."),
    ]
    path: Annotated[Path, typer.Argument(metavar="PATH", help="The file or folder to read.")]
    out: Annotated[
        str,
        typer.Option(
            "-o", "--out", metavar="RUN", help="Where the run is kept: a folder, or a URL."
        ),
    ]
    json: JsonFlag = False
