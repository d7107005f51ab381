"""What `assay hot` and `assay apply` accept."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Annotated

import typer

from assay.app.flags import CacheName, JsonFlag, LevelName, TrackName

ModelArgument = Annotated[
    str,
    typer.Argument(
        metavar="MODEL", help="A file with Model, get_inputs and get_init_inputs; FILE:Class."
    ),
]


@dataclass(frozen=True)
class HotFlags:
    """`assay hot`."""

    model: ModelArgument
    device: Annotated[str, typer.Option(help="Where the model runs.")] = "cpu"
    top: Annotated[int, typer.Option(min=1, help="How many groups are cut out as tasks.")] = 8
    include_at_limit: Annotated[
        bool,
        typer.Option(
            "--include-at-limit", help="Cut out groups at 90 % of their limit or more, too."
        ),
    ] = False
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write hot.json and a task for each of the first groups."),
    ] = None
    train: Annotated[
        bool, typer.Option("--train", help="Profile forward and backward in training mode.")
    ] = False
    timeout_s: Annotated[float, typer.Option(min=1.0, help="Limit for the whole profile.")] = 600.0
    json: JsonFlag = False


@dataclass(frozen=True, kw_only=True)
class ApplyFlags:
    """`assay apply`."""

    model: ModelArgument
    hot: Annotated[Path, typer.Option(metavar="FILE", help="The hot.json of this model.")]
    kernel: Annotated[
        list[str],
        typer.Option(
            metavar="TASK=KERNEL.py", help="A kernel for a cut-out task; may be repeated."
        ),
    ]
    out: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            show_default="model_applied.py beside hot.json",
            help="Where the patched model is written.",
        ),
    ] = None
    level: Annotated[LevelName, typer.Option(help="How much is tried.")] = "standard"
    track: Annotated[
        TrackName, typer.Option(help="What the kernels may compute with; the model itself: open.")
    ] = "kernel"
    cache: Annotated[
        CacheName,
        typer.Option(help="Whether kernels find their inputs in the cache, as in a model."),
    ] = "warm"
    timeout_s: Annotated[float, typer.Option(min=1.0, help="Limit for one judgement.")] = 300.0
    json: JsonFlag = False
