"""What the commands about published figures accept, one frozen dataclass a command."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from assay.app.flags import JsonFlag, JudgingFlags, RunArgument


@dataclass(frozen=True, kw_only=True)
class RecheckFlags(JudgingFlags):
    """`assay recheck`."""

    claims: Annotated[
        Path,
        typer.Argument(
            metavar="CLAIMS", help="A table (.csv, .tsv, .jsonl, .json) or a folder of kernels."
        ),
    ]
    suite: Annotated[
        str, typer.Option(metavar="SUITE", help="Whose tasks the claims are about.")
    ] = "native"
    claimed_device: Annotated[
        str, typer.Option(metavar="NAME", help="The device of claims that name none: 'RTX 5090'.")
    ] = ""
    judge: Annotated[
        bool,
        typer.Option("--judge/--no-judge", help="Judge the kernels, or check the figures alone."),
    ] = True
    out: Annotated[
        str | None,
        typer.Option(metavar="RUN", help="Where the run is kept: a folder, or a PostgreSQL URL."),
    ] = None
    html: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write one HTML file to publish.")
    ] = None
    md: Annotated[Path | None, typer.Option(metavar="FILE", help="Write Markdown.")] = None
    csv: Annotated[Path | None, typer.Option(metavar="FILE", help="Write one row a claim.")] = None
    quiet: Annotated[bool, typer.Option("--quiet", help="Show no progress.")] = False
    json: JsonFlag = False


@dataclass(frozen=True)
class BundleFlags:
    """`assay bundle`."""

    run: RunArgument
    out: Annotated[
        Path, typer.Option("-o", "--out", metavar="FILE.tar.gz", help="Where the archive goes.")
    ]
    json: JsonFlag = False


@dataclass(frozen=True)
class VerifyFlags:
    """`assay verify`."""

    bundle: Annotated[
        Path, typer.Argument(metavar="BUNDLE", help="An archive that `assay bundle` wrote.")
    ]
    id: Annotated[
        str, typer.Option(metavar="HASH", help="The id that was published with the archive.")
    ] = ""
    measure: Annotated[
        bool,
        typer.Option("--measure", help="Evaluate the candidates again too, with the same plan."),
    ] = False
    device: Annotated[
        str | None,
        typer.Option(show_default="the run's", help="Where --measure runs the kernels."),
    ] = None
    suite: Annotated[
        str,
        typer.Option(
            metavar="SUITE", help="Where --measure takes the tasks from; a bundle's own never run."
        ),
    ] = "native"
    allow_package: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME", help="An installed package that kernels may see; may be repeated."
        ),
    ] = None
    json: JsonFlag = False
