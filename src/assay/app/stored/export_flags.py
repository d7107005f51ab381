"""What `assay export` accepts."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from assay.app.flags import JsonFlag, RunArgument


@dataclass(frozen=True)
class ExportFlags:
    """`assay export`."""

    run: RunArgument
    format: Annotated[
        str,
        typer.Option(
            metavar="FORMAT",
            help="kernelbench, flashinfer_trace, sol_execbench, tritonbench or kernelbench_x.",
        ),
    ]
    out: Annotated[
        Path,
        typer.Option("-o", "--out", metavar="FILE|FOLDER", help="Where it goes."),
    ]
    json: JsonFlag = False
