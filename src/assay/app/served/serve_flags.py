"""What `assay serve` accepts."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated

import typer

from assay.app.flags import JsonFlag, JudgingFlags


@dataclass(frozen=True, kw_only=True)
class ServeFlags(JudgingFlags):
    """`assay serve`."""

    host: Annotated[str, typer.Option(help="The address to listen on.")] = "127.0.0.1"
    port: Annotated[int, typer.Option(min=0, max=65535, help="0: any that is free.")] = 8700
    token_env: Annotated[
        str | None,
        typer.Option(
            metavar="VARIABLE", help="The environment variable with a token that clients must send."
        ),
    ] = None
    allow_references: Annotated[
        bool,
        typer.Option(
            "--allow-references",
            help="Take tasks as source code too; it runs as you, without a wall.",
        ),
    ] = False
    most_waiting: Annotated[
        int, typer.Option(min=1, help="Evaluations that may wait; more are refused.")
    ] = 64
    json: JsonFlag = False
