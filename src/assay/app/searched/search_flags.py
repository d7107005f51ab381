"""What the commands that ask generators accept, one frozen dataclass a command.

The rule: only typer is imported here, as in `assay.app.flags`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Literal

import typer

from assay.app.flags import JsonFlag, JudgingFlags, LevelName

ConfirmName = Literal["none", "quick", "standard", "full"]
OptionFlag = Annotated[
    list[str] | None,
    typer.Option(
        metavar="NAME=VALUE",
        help="An option of the generator; LABEL.NAME=VALUE of one of several; may be repeated.",
    ),
]
SeedFlag = Annotated[int, typer.Option(metavar="N", help="Of all chance in the search.")]
BudgetFlag = Annotated[
    str | None,
    typer.Option(
        metavar="tokens=N,dollars=N,seconds=N,trials=N",
        show_default="trials=20 a task",
        help="What may be spent; one or more of them.",
    ),
]
OutFlag = Annotated[
    str,
    typer.Option(metavar="RUN", help="Where it is kept: a folder, or a PostgreSQL URL."),
]
QuietFlag = Annotated[bool, typer.Option("--quiet", help="Show no progress.")]


@dataclass(frozen=True, kw_only=True)
class SearchFlags(JudgingFlags):
    """`assay search`."""

    tasks: Annotated[
        list[str], typer.Argument(metavar="TASK", help="Names or files of tasks, or suites.")
    ]
    generator: Annotated[
        list[str],
        typer.Option(
            metavar="NAME[@LABEL]",
            help="Who is asked for candidates; several with labels of their own.",
        ),
    ]
    strategy: Annotated[
        str, typer.Option(metavar="NAME", help="What decides which candidate to ask for next.")
    ] = "best-of-n"
    budget: BudgetFlag = None
    option: OptionFlag = None
    set: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A setting of the strategy; may be repeated."),
    ] = None
    seed: SeedFlag = 0
    out: OutFlag
    level: Annotated[
        LevelName | None,
        typer.Option(show_default="quick", help="How much is tried of every candidate."),
    ] = None
    confirm_level: Annotated[
        ConfirmName,
        typer.Option(help="How much is tried, on a fresh secret, of what is to be the winner."),
    ] = "full"
    quiet: QuietFlag = False
    json: JsonFlag = False


@dataclass(frozen=True, kw_only=True)
class BenchFlags(JudgingFlags):
    """`assay bench`."""

    generator: Annotated[
        str,
        typer.Argument(
            metavar="GENERATOR", help="Who is asked; with --ablate checks=..., a stored run."
        ),
    ]
    suite: Annotated[str, typer.Option(metavar="SUITE", help="The tasks.")] = "native"
    samples: Annotated[int, typer.Option(metavar="N", min=1, help="Candidates of each task.")] = 1
    tag: Annotated[
        list[str] | None,
        typer.Option(metavar="KIND:VALUE", help="Only tasks with this tag; may be repeated."),
    ] = None
    tasks: Annotated[
        str | None, typer.Option(metavar="ID,ID", help="Only these tasks of the suite.")
    ] = None
    ablate: Annotated[
        str | None,
        typer.Option(
            metavar="WHAT=A,B",
            help="checks=NAME,..: judge a run without them. feedback=none|status, prompt=NAME, "
            "context=profile,limits,explanation,retrieval,examples: ask with and without.",
        ),
    ] = None
    strategy: Annotated[
        str | None,
        typer.Option(metavar="NAME", show_default="best-of-n", help="What decides what is asked."),
    ] = None
    set: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME=VALUE", help="A setting of the strategy; may be repeated."),
    ] = None
    budget: BudgetFlag = None
    option: OptionFlag = None
    seed: SeedFlag = 0
    out: Annotated[
        str | None,
        typer.Option(
            metavar="RUN",
            help="Where it is kept: a folder, or a PostgreSQL URL.",
            show_default=False,
        ),
    ] = None
    quiet: QuietFlag = False
    json: JsonFlag = False
