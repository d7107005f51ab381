"""What each command accepts, one frozen dataclass a command.

The rule: only typer is imported here, so that `assay --help` answers at once. Names that other
rooms own (tracks, levels) are written out as Literals; a test holds them to the enums. The
commands of `stored` and `scored` have their flags in those folders.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import MISSING, dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Generic, Literal, TypeVar, get_type_hints

import typer

from assay.app.flag_values import check_values

TrackName = Literal["kernel", "mixed", "open"]
LevelName = Literal["smoke", "quick", "standard", "full"]
CacheName = Literal["cold", "warm", "both"]
Switch = Literal["off", "on"]
DaemonAction = Literal["start", "stop", "status"]

JsonFlag = Annotated[
    bool, typer.Option("--json", help="One JSON object a line on stdout, and nothing else.")
]
TrackFlag = Annotated[
    TrackName | None,
    typer.Option(
        show_default="kernel",
        help="What it may compute with: its own kernels; libraries too; anything.",
    ),
]
CandidateArgument = Annotated[
    list[str],
    typer.Argument(
        metavar="CANDIDATE", help="Files with ModelNew, .cpp files, folders, or - for stdin."
    ),
]
RunArgument = Annotated[
    str, typer.Argument(metavar="RUN", help="The folder or URL of a run; #ID names one of several.")
]


def _list_checks(context: typer.Context, parameter: typer.CallbackParam, value: bool) -> bool:
    """List the checks and exit, once it is known whether as JSON: flags come in any order."""
    known = {**context.params, str(parameter.name): value}
    if known.get("checks") and "json" in known and not context.resilient_parsing:
        from assay.app.checks_list import print_checks

        print_checks(json=known["json"])
        raise typer.Exit
    return value


AtFlag = Annotated[
    list[str] | None,
    typer.Option(metavar="NAME=SIZE", help="Another size of an axis; may be repeated."),
]

HtmlFlag = Annotated[
    Path | None, typer.Option(metavar="FILE", help="Write the verdicts as one HTML page.")
]


@dataclass(frozen=True, kw_only=True)
class JudgingFlags:
    """What every command that judges accepts. None means that the flag was not given."""

    device: Annotated[
        str | None, typer.Option(show_default="cpu", help="Where the kernels run.")
    ] = None
    track: TrackFlag = None
    level: Annotated[
        LevelName | None, typer.Option(show_default="standard", help="How much is tried.")
    ] = None
    timing: Annotated[
        bool | None,
        typer.Option(
            "--timing/--no-timing",
            show_default="on, at smoke off",
            help="Measure speed, or do not.",
        ),
    ] = None
    time_shapes: Annotated[
        bool,
        typer.Option("--time-shapes", help="Time a drawn shape of each of eight categories too."),
    ] = False
    baseline: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME|FILE",
            show_default="eager",
            help="What speed is compared with: eager, compile, compile-max, vendor or a file; "
            "may be repeated.",
        ),
    ] = None
    cache: Annotated[
        CacheName, typer.Option(help="Whether a timed call finds its inputs in the cache.")
    ] = "cold"
    tf32: Annotated[
        Switch | None,
        typer.Option(
            show_default="off", help="Whether float32 products may be TF32, on all sides."
        ),
    ] = None
    timeout_s: Annotated[float, typer.Option(help="Limit for one candidate, build apart.")] = 120.0
    build_timeout_s: Annotated[float, typer.Option(help="Limit for one build.")] = 300.0
    min_coverage: Annotated[
        float,
        typer.Option(
            metavar="SHARE",
            min=0.0,
            max=1.0,
            help="Least share of workloads that must be answered; less is not accepted.",
        ),
    ] = 0.0
    jobs: Annotated[
        int | None,
        typer.Option(min=1, help="Candidates judged at a time; on a GPU 4, else 1."),
    ] = None
    explain: Annotated[
        bool,
        typer.Option("--explain", help="Show how a wrong one is wrong, on the smallest workload."),
    ] = False
    allow_package: Annotated[
        list[str] | None,
        typer.Option(
            metavar="NAME",
            help="An installed package that kernels are shown, such as einops; may be repeated.",
        ),
    ] = None
    first_fault: Annotated[
        bool, typer.Option("--first-fault", help="Stop at the first wrong answer.")
    ] = False


@dataclass(frozen=True, kw_only=True)
class EvalFlags(JudgingFlags):
    """`assay eval`."""

    task: Annotated[
        str, typer.Argument(metavar="TASK", help="A task's name, or a file in KernelBench format.")
    ]
    candidates: CandidateArgument
    replay: Annotated[
        Path | None,
        typer.Option(metavar="RECORD", help="Use the plan, level and track of this record."),
    ] = None
    checks: Annotated[
        bool,
        typer.Option(
            "--checks",
            is_eager=True,
            callback=_list_checks,
            help="List what is asked beyond plain calls, with what it costs, and exit.",
        ),
    ] = False
    json: Annotated[
        bool,
        typer.Option(
            "--json",
            is_eager=True,
            callback=_list_checks,
            help="One JSON object a line on stdout, and nothing else.",
        ),
    ] = False
    out: Annotated[
        Path | None, typer.Option(metavar="DIR", help="Write a full record for each candidate.")
    ] = None
    no_daemon: Annotated[
        bool, typer.Option("--no-daemon", help="Judge in a process of its own, daemon or not.")
    ] = False
    html: HtmlFlag = None


@dataclass(frozen=True, kw_only=True)
class WatchFlags(JudgingFlags):
    """`assay watch`. The level is the deepest; those before it come first."""

    task: Annotated[
        str, typer.Argument(metavar="TASK", help="A task's name, or a file in KernelBench format.")
    ]
    file: Annotated[str, typer.Argument(metavar="FILE", help="A candidate; it need not exist yet.")]
    once: Annotated[
        bool, typer.Option("--once", help="Judge what is there now, and exit as eval does.")
    ] = False
    json: JsonFlag = False


@dataclass(frozen=True)
class InspectFlags:
    """`assay inspect`."""

    candidates: CandidateArgument
    track: TrackFlag = None
    arch: Annotated[
        list[str] | None,
        typer.Option(metavar="NAME", help="Compile for it too: sm_90a, gfx942; may be repeated."),
    ] = None
    json: JsonFlag = False


@dataclass(frozen=True)
class TasksFlags:
    """`assay tasks`."""

    suite: Annotated[
        str | None, typer.Argument(metavar="SUITE", help="A suite, a task's name or a file.")
    ] = None
    id: Annotated[str | None, typer.Argument(metavar="ID", help="One task of it.")] = None
    tag: Annotated[
        list[str] | None,
        typer.Option(
            metavar="KIND:VALUE", help="Only tasks with this tag; repeated: with all of them."
        ),
    ] = None
    limits: Annotated[
        bool,
        typer.Option("--limits/--no-limits", help="Show the least time of one task, or do not."),
    ] = True
    json: JsonFlag = False


@dataclass(frozen=True)
class LimitsFlags:
    """`assay limits`."""

    task: Annotated[str, typer.Argument(metavar="TASK", help="A task's name, a file or a suite.")]
    board: Annotated[str, typer.Option(help="Whose vendor peaks are used.")] = "h200"
    at: AtFlag = None
    no_tf32: Annotated[
        bool, typer.Option("--no-tf32", help="Price float32 without tensor units.")
    ] = False
    json: JsonFlag = False


@dataclass(frozen=True)
class ProfileFlags:
    """`assay profile`."""

    task: Annotated[
        str, typer.Argument(metavar="TASK", help="A task's name, or a file in KernelBench format.")
    ]
    candidate: Annotated[
        str, typer.Argument(metavar="CANDIDATE", help="A file with ModelNew, or a folder.")
    ]
    device: Annotated[str, typer.Option(help="The GPU it runs on.")] = "cuda"
    at: AtFlag = None
    trust: Annotated[
        bool,
        typer.Option(
            "--trust",
            help="Read hardware counters too: runs the candidate WITHOUT the wall, because they "
            "are not reachable from inside it.",
        ),
    ] = False
    no_ncu: Annotated[bool, typer.Option("--no-ncu", help="Say nothing of hardware counters.")] = (
        False
    )
    timeout_s: Annotated[float, typer.Option(help="Limit for one answer, build apart.")] = 120.0
    json: JsonFlag = False


@dataclass(frozen=True)
class DaemonFlags:
    """`assay daemon`."""

    action: Annotated[
        DaemonAction,
        typer.Argument(metavar="start|stop|status", help="What to do with it."),
    ] = "start"
    idle_s: Annotated[
        float, typer.Option(min=1.0, help="It ends when it was not used for so long.")
    ] = 600.0
    foreground: Annotated[
        bool, typer.Option("--foreground", help="Stay in this terminal, until Ctrl-C.")
    ] = False
    json: JsonFlag = False


@dataclass(frozen=True)
class DeviceFlags:
    """`assay device`."""

    calibrate: Annotated[
        bool, typer.Option("--calibrate", help="Measure anew, whatever is kept.")
    ] = False
    json: JsonFlag = False


@dataclass(frozen=True)
class AuditFlags:
    """`assay audit`."""

    suite: Annotated[str, typer.Argument(metavar="SUITE", help="A suite, a task's name or a file.")]
    level: Annotated[LevelName, typer.Option(help="How many workloads may mend a task.")] = (
        "standard"
    )
    only: Annotated[
        list[str] | None, typer.Option(metavar="ID", help="Only this task; may be repeated.")
    ] = None
    json: JsonFlag = False
    out: Annotated[
        Path | None,
        typer.Option(metavar="DIR", help="Write a record for each task, and go on from those."),
    ] = None
    jobs: Annotated[int, typer.Option(min=1, help="Tasks audited at a time.")] = 1


@dataclass(frozen=True)
class DemoFlags:
    """`python -m assay.app.demo`."""

    folder: Annotated[Path, typer.Argument(help="Folders of TASK/LABEL__NAME.py or .cpp.")] = Path(
        "examples"
    )
    level: Annotated[LevelName, typer.Option(help="How much is tried.")] = "quick"
    html: HtmlFlag = None


Flags = TypeVar("Flags")


class FlaggedCommand(Generic[Flags]):
    """A command whose parameters are the fields of its flags, as typer reads them.

    The signature is made when it is first asked for: those of all commands take 50 ms.
    """

    def __init__(self, command: Callable[[Flags], int], flags: type[Flags]) -> None:
        self._command, self._flags = command, flags
        self.__doc__ = command.__doc__
        self.__name__ = command.__name__
        self.__annotations__ = {}  # typer reads them from the signature

    def __call__(self, **values: Any) -> int:
        """Its exit code."""
        check_values(values, getattr(self._flags, "to_stdout", ()))
        return self._command(self._flags(**values))

    @cached_property
    def __signature__(self) -> inspect.Signature:
        return _signature(self._flags)


def takes(flags: type[Flags]) -> Callable[[Callable[[Flags], int]], FlaggedCommand[Flags]]:
    """Give typer a command whose parameters are the fields of `flags`."""
    return lambda command: FlaggedCommand(command, flags)


def _signature(flags: type[Any]) -> inspect.Signature:
    hints = get_type_hints(flags, include_extras=True)
    return inspect.Signature(
        [
            inspect.Parameter(
                field.name,
                inspect.Parameter.KEYWORD_ONLY,
                default=inspect.Parameter.empty if field.default is MISSING else field.default,
                annotation=hints[field.name],
            )
            for field in fields(flags)
        ]
    )
