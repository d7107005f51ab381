"""What the commands that make tasks and candidates accept, one frozen dataclass a command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from assay.app.flags import JsonFlag

TemplateLanguage = Literal["cpp", "triton", "cuda", "python"]
Kind = Literal["task", "candidate"]


@dataclass(frozen=True)
class SynthesiseFlags:
    """`assay synthesise`."""

    out: Annotated[
        Path, typer.Option("--out", "-o", metavar="FOLDER", help="Where the task files go.")
    ]
    count: Annotated[int, typer.Option(min=1, help="How many tasks to write.")] = 10
    seed: Annotated[int, typer.Option(min=0, help="The same seed makes the same tasks.")] = 0
    json: JsonFlag = False


@dataclass(frozen=True)
class NewFlags:
    """`assay new`."""

    kind: Annotated[Kind, typer.Argument(metavar="task|candidate", help="What to write.")]
    name: Annotated[
        str, typer.Argument(metavar="NAME", help="Of the new task, or the task of the candidate.")
    ]
    language: Annotated[
        TemplateLanguage | None,
        typer.Option(show_default="cpp", help="What the candidate is written in."),
    ] = None
    out: Annotated[
        Path | None,
        typer.Option(
            "--out", "-o", metavar="FILE", show_default="NAME.py", help="The file to write."
        ),
    ] = None
    force: Annotated[bool, typer.Option("--force", help="Overwrite the file.")] = False
    json: JsonFlag = False
