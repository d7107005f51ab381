"""The demo: every labelled candidate under a folder is judged, and held against its label.

Layout: `FOLDER/TASK/LABEL__NAME.py` (or `.cpp`), where TASK is a native task and LABEL is `honest`
(to be accepted), `wrong` (incorrect) or `cheat` (dishonest). One honest candidate is timed too.

The rule: a verdict that differs from its label is shown as such and makes the exit code 1.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

import typer
from rich.text import Text

from assay.app.candidates import load_candidates
from assay.app.command_end import ended
from assay.app.flags import DemoFlags, takes
from assay.app.report_files import HtmlReport
from assay.data.run import Judgement
from assay.data.settings import Level, Settings
from assay.data.verdict import Status, Verdict
from assay.errors import UsageError
from assay.report import words
from assay.report.console import progress_console, result_console
from assay.report.progress_display import ProgressLine
from assay.report.summary import SummaryTable
from assay.tasks.catalog import resolve
from assay.termination import termination

EXPECTED = {
    "honest": Status.ACCEPTED,
    "wrong": Status.INCORRECT,
    "cheat": Status.DISHONEST,
}
_SUFFIXES = (".py", ".cpp")


@dataclass(frozen=True)
class Example:
    """One file with the verdict its name promises."""

    path: Path
    task: str
    expected: Status


def find_examples(folder: Path) -> list[Example]:
    """Every labelled file, task by task, in the order of the alphabet."""
    if not folder.is_dir():
        raise UsageError(f"no such folder: {folder}")
    found = [
        _example(path)
        for path in sorted(folder.glob("*/*__*"))
        if path.suffix in _SUFFIXES and path.is_file()
    ]
    if not found:
        raise UsageError(f"no TASK/LABEL__NAME.py or .cpp under {folder}")
    return found


def timed_example(examples: list[Example]) -> Example | None:
    """The one that is timed: an honest one in C++ where there is one, for it has a speed."""
    honest = [example for example in examples if example.expected is Status.ACCEPTED]
    compiled = [example for example in honest if "cpp" in example.path.name]
    return next(iter(compiled or honest), None)


def judge_examples(
    examples: list[Example], level: Level, line: ProgressLine
) -> Iterator[Judgement]:
    """Judgements in the order of the examples, one call of the pipeline a task."""
    from assay.pipeline import evaluate_many

    timed = timed_example(examples)
    for group in _groups(examples, timed):
        settings = Settings(level=level, timing=group == [timed])
        candidates = load_candidates([str(example.path) for example in group])
        judgements = evaluate_many(resolve(group[0].task), candidates, settings, line.show)
        with closing(judgements) as stream:
            yield from stream


def run(flags: DemoFlags) -> int:
    """Judge them all and print the table."""
    examples = find_examples(flags.folder)
    table = SummaryTable(
        result_console(), [example.path.name for example in examples], extra_column="as labelled"
    )
    report = HtmlReport.at(flags.html, "native") if flags.html else None
    differing, task = 0, ""
    table.open()
    with ProgressLine(progress_console(), "the demo") as line:
        judgements = judge_examples(examples, Level(flags.level), line)
        for example, judgement in zip(examples, judgements, strict=True):
            verdict = judgement.verdict
            if report is not None:
                report.add(judgement)
            with line.hidden():
                if example.task != task:
                    table.section(task := example.task)
                table.add(verdict, _as_labelled(example, verdict))
            differing += verdict.status is not example.expected
            sys.stdout.flush()
    table.close()
    result_console().print(_closing_line(table.verdicts, differing))
    if report is not None:
        report.write("The demo")
        result_console().print(Text(f"The report: {report.path} (open it in a browser)"))
    return 1 if differing else 0


def _closing_line(verdicts: list[Verdict], differing: int) -> Text:
    timings = [timing for verdict in verdicts for timing in verdict.timing or ()]
    timed = f" Timed one: {words.speedup(timings[0])}." if timings else ""
    if differing:
        return Text(
            f"{differing} of {len(verdicts)} verdicts differ from their label.{timed}", "red"
        )
    return Text(f"All {len(verdicts)} verdicts are as labelled.{timed}", "green")


def _as_labelled(example: Example, verdict: Verdict) -> Text:
    if verdict.status is example.expected:
        return Text("yes", style="green")
    return Text(f"no: {example.expected.value}", style="bold red")


def _groups(examples: list[Example], timed: Example | None) -> list[list[Example]]:
    """Neighbours of one task together; the timed one alone, because it has other settings."""
    groups: list[list[Example]] = []
    for example in examples:
        joins = groups and groups[-1][0].task == example.task
        if joins and timed not in (example, groups[-1][-1]):
            groups[-1].append(example)
        else:
            groups.append([example])
    return groups


def _example(path: Path) -> Example:
    label = path.name.partition("__")[0]
    if label not in EXPECTED:
        raise UsageError(f"{path}: the label '{label}' is none of {', '.join(EXPECTED)}")
    return Example(path, path.parent.name, EXPECTED[label])


def main() -> int:
    """`python -m assay.app.demo [FOLDER] [--level LEVEL] [--html FILE]`."""
    app = typer.Typer(
        add_completion=False,
        context_settings={"help_option_names": ["-h", "--help"]},
        rich_markup_mode=None,
        pretty_exceptions_enable=False,
    )
    app.command(help="Judge labelled examples and hold the verdicts against their labels.")(
        takes(DemoFlags)(run)
    )
    return ended(lambda: app(prog_name="python -m assay.app.demo", standalone_mode=False))


if __name__ == "__main__":
    with termination():
        code = main()
    sys.exit(code)
