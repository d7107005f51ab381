"""What the commands about kept runs accept, one frozen dataclass a command.

The rule: only typer is imported here, as in `assay.app.flags`.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, ClassVar

import typer

from assay.app.flags import JsonFlag, JudgingFlags, RunArgument


@dataclass(frozen=True, kw_only=True)
class RunFlags(JudgingFlags):
    """`assay run`."""

    suite: Annotated[
        str, typer.Argument(metavar="SUITE", help="A suite, a task's name or a task's file.")
    ]
    candidates: Annotated[
        Path,
        typer.Option(
            metavar="DIR|FILE.jsonl|reference",
            help="A folder of TASK/NAME.py, KernelBench's samples, one JSON object a line, or "
            "`reference`: each task's own (--track open).",
        ),
    ]
    out: Annotated[
        str,
        typer.Option(metavar="RUN", help="Where the run is kept: a folder, or a PostgreSQL URL."),
    ]
    resume: Annotated[
        bool, typer.Option("--resume", help="Go on with a run; an error where there is none.")
    ] = False
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False
    json: JsonFlag = False


@dataclass(frozen=True)
class RunsFlags:
    """`assay runs`."""

    place: Annotated[
        str, typer.Argument(metavar="PLACE", help="A run, or a folder that holds several.")
    ] = "."
    json: JsonFlag = False


@dataclass(frozen=True)
class ShowFlags:
    """`assay show`."""

    run: RunArgument
    id: Annotated[
        str | None,
        typer.Argument(metavar="ID", help="A candidate: its number, its name or its id."),
    ] = None
    parquet: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the run's table as Parquet.")
    ] = None
    json: JsonFlag = False


@dataclass(frozen=True)
class JudgeFlags:
    """`assay judge`."""

    run: RunArgument
    json: JsonFlag = False


@dataclass(frozen=True)
class ReportFlags:
    """`assay report`."""

    to_stdout: ClassVar = ("out", "md", "csv", "badge")  # where the name of a file is `-`

    run: RunArgument
    out: Annotated[
        Path | None,
        typer.Option("-o", "--out", metavar="FILE.html", help="Write one HTML file."),
    ] = None
    title: Annotated[str, typer.Option(help="Of the page, instead of the run's id.")] = ""
    plain_charts: Annotated[
        bool,
        typer.Option(
            "--plain-charts", help="Only charts that need no charting script: 4.8 MB less."
        ),
    ] = False
    md: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write a summary in Markdown.")
    ] = None
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write one row a candidate.")] = (
        None
    )
    badge: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Write accepted of all as a picture.")
    ] = None
    json: JsonFlag = False
