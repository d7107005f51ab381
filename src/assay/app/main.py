"""The command line: every command, with its flags and where it is done.

The rule: heavy imports stand inside the commands. How they end `command_end` decides.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from copy import copy
from typing import Annotated, NoReturn

import typer

from assay import __version__
from assay.app.command_end import ended
from assay.app.flags import (
    AuditFlags,
    DaemonFlags,
    DeviceFlags,
    EvalFlags,
    InspectFlags,
    LimitsFlags,
    ProfileFlags,
    TasksFlags,
    WatchFlags,
    takes,
)
from assay.app.models.model_commands import add_model_commands
from assay.app.published.publish_flags import BundleFlags, RecheckFlags, VerifyFlags
from assay.app.scored.score_flags import (
    AnalyseFlags,
    CompareFlags,
    CostFlags,
    LeaderboardFlags,
    PairsFlags,
    RubricFlags,
    ScoreFlags,
)
from assay.app.searched.search_commands import add_search_commands
from assay.app.served.serve_flags import ServeFlags
from assay.app.standard_streams import set_streams
from assay.app.stored.export_flags import ExportFlags
from assay.app.stored.import_flags import ImportFlags
from assay.app.stored.run_flags import JudgeFlags, ReportFlags, RunFlags, RunsFlags, ShowFlags
from assay.app.suite.suite_flags import NewFlags, SynthesiseFlags
from assay.sandbox.host.bytecode_folder import keep_bytecode
from assay.termination import termination

app = typer.Typer(
    name="assay",
    help="Judge compute kernels: is it right, is it honest, is it fast?",
    context_settings={"help_option_names": ["-h", "--help"]},
    rich_markup_mode=None,
    pretty_exceptions_enable=False,
)


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"assay {__version__}")
        raise typer.Exit


@app.callback()
def _root(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Show the version.")
    ] = False,
) -> None:
    """Judge compute kernels: is it right, is it honest, is it fast?"""


@app.command("eval")
@takes(EvalFlags)
def _eval(flags: EvalFlags) -> int:
    """Judge candidates of one task.

    Exit code: 0 all accepted, 1 at least one not, 2 usage, 3 Assay itself failed.
    """
    from assay.app.eval_command import run

    return run(flags)


@app.command("watch")
@takes(WatchFlags)
def _watch(flags: WatchFlags) -> int:
    """Judge a candidate at every save, at smoke at once and then more deeply.

    Exit code: 0 after Ctrl-C; with --once as for eval, 2 where there is nothing to judge.
    """
    from assay.app.watched.watch_command import run

    return run(flags)


@app.command("run")
@takes(RunFlags)
def _run(flags: RunFlags) -> int:
    """Judge many candidates of many tasks; the same command goes on where it was stopped.

    Exit code: 0 all accepted, 1 at least one not, 2 usage, 3 Assay itself failed.
    """
    from assay.app.stored.run_command import run

    return run(flags)


@app.command("runs")
@takes(RunsFlags)
def _runs(flags: RunsFlags) -> int:
    """List what is stored: every run, with its counts by status."""
    from assay.app.stored.runs_command import run

    return run(flags)


@app.command("show")
@takes(ShowFlags)
def _show(flags: ShowFlags) -> int:
    """Show a stored run, or the verdict of one of its candidates."""
    from assay.app.stored.show_command import run

    return run(flags)


@app.command("judge")
@takes(JudgeFlags)
def _judge(flags: JudgeFlags) -> int:
    """Judge what a run saw again, without running anything.

    Exit code: 0 every verdict is the same, 1 at least one is not, 2 usage.
    """
    from assay.app.stored.judge_command import run

    return run(flags)


@app.command("score")
@takes(ScoreFlags)
def _score(flags: ScoreFlags) -> int:
    """Score stored runs: every published metric, with interval and denominator."""
    from assay.app.scored.score_command import run

    return run(flags)


@app.command("leaderboard")
@takes(LeaderboardFlags)
def _leaderboard(flags: LeaderboardFlags) -> int:
    """Order the generators of stored runs by what they solve."""
    from assay.app.scored.leaderboard_command import run

    return run(flags)


@app.command("analyse")
@takes(AnalyseFlags)
def _analyse(flags: AnalyseFlags) -> int:
    """Say what explains the figures: categories, methods, rounds, devices, costs, code."""
    from assay.app.scored.analyse_command import run

    return run(flags)


@app.command("rubric")
@takes(RubricFlags)
def _rubric(flags: RubricFlags) -> int:
    """Place kernels, and what generators reach with one of them, on the kernel rubric."""
    from assay.app.scored.rubric_command import run

    return run(flags)


@app.command("cost")
@takes(CostFlags)
def _cost(flags: CostFlags) -> int:
    """Say what a budget would buy of a run's generators."""
    from assay.app.scored.cost_command import run

    return run(flags)


@app.command("compare")
@takes(CompareFlags)
def _compare(flags: CompareFlags) -> int:
    """Compare two runs, or two generators, task by task."""
    from assay.app.scored.compare_command import run

    return run(flags)


@app.command("pairs")
@takes(PairsFlags)
def _pairs(flags: PairsFlags) -> int:
    """Write corrected errors and shown gains of stored runs, to train on."""
    from assay.app.scored.pairs_command import run

    return run(flags)


@app.command("import")
@takes(ImportFlags)
def _import(flags: ImportFlags) -> int:
    """Read what another system published about candidates into a run, as its claims."""
    from assay.app.stored.import_command import run

    return run(flags)


@app.command("export")
@takes(ExportFlags)
def _export(flags: ExportFlags) -> int:
    """Write a run's verdicts in the format of another evaluator, for what reads that."""
    from assay.app.stored.export_command import run

    return run(flags)


@app.command("report")
@takes(ReportFlags)
def _report(flags: ReportFlags) -> int:
    """Write a stored run as one HTML file, as Markdown, as CSV or as a badge."""
    from assay.app.stored.report_command import run

    return run(flags)


@app.command("recheck")
@takes(RecheckFlags)
def _recheck(flags: RecheckFlags) -> int:
    """Check someone's claims: claimed against measured, and against what the device can do.

    Exit code: 0 every claim holds (with --no-judge: none is beyond the limits), 1 at least one
    does not or is unknown, 2 usage, 3 Assay itself failed.
    """
    from assay.app.published.recheck_command import run

    return run(flags)


@app.command("bundle")
@takes(BundleFlags)
def _bundle(flags: BundleFlags) -> int:
    """Write a stored run as one archive that others can verify."""
    from assay.app.published.bundle_command import run

    return run(flags)


@app.command("verify")
@takes(VerifyFlags)
def _verify(flags: VerifyFlags) -> int:
    """Verify an archive: its hashes, its verdicts judged again, with --measure its speeds too.

    Exit code: 0 everything agrees, 1 something differs, 2 usage or no sound archive, 3 Assay
    itself failed.
    """
    from assay.app.published.verify_command import run

    return run(flags)


add_model_commands(app)
add_search_commands(app)


@app.command("tasks")
@takes(TasksFlags)
def _tasks(flags: TasksFlags) -> int:
    """List tasks, or show one."""
    from assay.app.suite.tasks_command import run

    return run(flags)


@app.command("audit")
@takes(AuditFlags)
def _audit(flags: AuditFlags) -> int:
    """Find tasks that a kernel which computes nothing would pass.

    Exit code: 0 every task is sound, 1 at least one is not, 2 usage, 3 Assay itself failed.
    """
    from assay.app.suite.audit_command import run

    return run(flags)


@app.command("synthesise")
@takes(SynthesiseFlags)
def _synthesise(flags: SynthesiseFlags) -> int:
    """Write new tasks composed from the suite's operators, each audited."""
    from assay.app.suite.synthesise_command import run

    return run(flags)


@app.command("new")
@takes(NewFlags)
def _new(flags: NewFlags) -> int:
    """Write a task, or a candidate of a task, to begin with."""
    from assay.app.suite.new_command import run

    return run(flags)


@app.command("limits")
@takes(LimitsFlags)
def _limits(flags: LimitsFlags) -> int:
    """Say what a task must move and compute, and the least time for it on a board."""
    from assay.app.limits_command import run

    return run(flags)


@app.command("profile")
@takes(ProfileFlags)
def _profile(flags: ProfileFlags) -> int:
    """Say which kernels a candidate runs on a GPU, and what binds it.

    Exit code: 0 profiled, 1 the candidate failed, 2 usage, 3 Assay itself failed.
    """
    from assay.app.profile_command import run

    return run(flags)


@app.command("device")
@takes(DeviceFlags)
def _device(flags: DeviceFlags) -> int:
    """Say what this machine is and can do, measured in a few seconds and then kept."""
    from assay.app.device_command import run

    return run(flags)


@app.command("daemon")
@takes(DaemonFlags)
def _daemon(flags: DaemonFlags) -> int:
    """Start, stop or ask a session that stays warm: `assay eval` uses it where there is one.

    Exit code: 0 it runs (or does not, after stop), 1 status: none runs, 2 usage, 3 it cannot run.
    """
    from assay.app.daemon_command import run

    return run(flags)


@app.command("serve")
@takes(ServeFlags)
def _serve(flags: ServeFlags) -> int:
    """Judge candidates that come over HTTP, in KernelGYM's names, until Ctrl-C."""
    from assay.app.served.serve_command import run

    return run(flags)


@app.command("inspect")
@takes(InspectFlags)
def _inspect(flags: InspectFlags) -> int:
    """Read candidates without running them; with --arch also compile what they hold.

    Exit code: 0 read, and every kernel compiled where that was asked; 1 some kernel did not, or is
    unknown; 2 usage, 3 Assay itself failed.
    """
    from assay.app.inspect_command import run

    return run(flags)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; the exit code. Without arguments it shows the help."""
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    asked = _with_one_command(given[0])
    return ended(lambda: asked(args=given, prog_name="assay", standalone_mode=False))


def _with_one_command(name: str) -> typer.Typer:
    """The application with that command alone: typer reads the flags of each that it holds.

    With all of them where no command has the name.
    """
    wanted = [one for one in app.registered_commands if one.name == name]
    asked = copy(app)
    asked.registered_commands = wanted or app.registered_commands
    return asked


def entry() -> NoReturn:
    """The `assay` command."""
    keep_bytecode()
    set_streams()
    with termination():
        code = main()
    sys.exit(code)


if __name__ == "__main__":
    entry()
