"""What the commands about generators accept, one frozen dataclass a command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Literal

import typer

from assay.app.flags import JsonFlag, RunArgument

ShapeName = Literal["records", "sft", "preference"]
RunsArgument = Annotated[
    list[str],
    typer.Argument(metavar="RUN", help="Folders or URLs of runs; #ID names one of several."),
]
CsvFlag = Annotated[bool, typer.Option("--csv", help="Comma-separated values on stdout.")]
AttemptedFlag = Annotated[
    bool,
    typer.Option("--attempted-only", help="Leave out tasks of the suite without a candidate."),
]
DegenerateFlag = Annotated[
    bool, typer.Option("--keep-degenerate", help="Count tasks that prove nothing too.")
]


@dataclass(frozen=True)
class ScoreFlags:
    """`assay score`."""

    runs: RunsArgument
    family: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only the scores of this source; may be repeated."),
    ] = None
    attempted_only: AttemptedFlag = False
    keep_degenerate: DegenerateFlag = False
    json: JsonFlag = False
    csv: CsvFlag = False


@dataclass(frozen=True)
class LeaderboardFlags:
    """`assay leaderboard`."""

    runs: RunsArgument
    attempted_only: AttemptedFlag = False
    keep_degenerate: DegenerateFlag = False
    json: JsonFlag = False
    csv: CsvFlag = False


@dataclass(frozen=True)
class AnalyseFlags:
    """`assay analyse`."""

    runs: RunsArgument
    json: JsonFlag = False


@dataclass(frozen=True)
class RubricFlags:
    """`assay rubric`."""

    targets: Annotated[
        list[str],
        typer.Argument(
            metavar="RUN|RECORD|CANDIDATE", help="Runs, records of --out, or kernels; several."
        ),
    ]
    arch: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="Compile kernels without a binary for this chip; may be repeated."
        ),
    ] = None
    kernels: Annotated[
        bool, typer.Option("--kernels", help="Show every kernel of the runs too, with evidence.")
    ] = False
    json: JsonFlag = False


@dataclass(frozen=True)
class CostFlags:
    """`assay cost`."""

    run: RunArgument
    budget: Annotated[
        str,
        typer.Option(
            metavar="dollars=N,tokens=N,seconds=N", help="What may be spent; one or more of them."
        ),
    ]
    tasks: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            min=1,
            help="How many tasks there are to solve.",
            show_default="those of the suite",
        ),
    ] = None
    suite: Annotated[
        str | None,
        typer.Option(
            metavar="SUITE",
            help="The suite to solve: each task is like the tried ones of its category.",
            show_default="that of the run",
        ),
    ] = None
    json: JsonFlag = False


@dataclass(frozen=True)
class CompareFlags:
    """`assay compare`."""

    first: Annotated[str, typer.Argument(metavar="A", help="A run.")]
    second: Annotated[
        str | None,
        typer.Argument(metavar="B", help="The run it is compared with.", show_default="A itself"),
    ] = None
    generator: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Only this generator; twice: one of A, one of B."),
    ] = None
    attempted_only: AttemptedFlag = False
    json: JsonFlag = False


@dataclass(frozen=True)
class PairsFlags:
    """`assay pairs`."""

    runs: RunsArgument
    out: Annotated[
        Path,
        typer.Option("-o", "--out", metavar="FILE", help="Where they go: .jsonl or .parquet."),
    ]
    shape: Annotated[
        ShapeName,
        typer.Option(help="Whole records, prompt and completion, or prompt, chosen and rejected."),
    ] = "records"
    held_out: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Share of tasks whose pairs go to a file of their own.",
        ),
    ] = 0.0
    seed: Annotated[int, typer.Option(metavar="N", help="Of the choice of those tasks.")] = 0
    claimed: Annotated[
        bool, typer.Option("--claimed", help="Make pairs of imported claims of others, too.")
    ] = False
    keep_degenerate: DegenerateFlag = False
    json: JsonFlag = False
