"""The live area of a run: counts, rate, time left and stages; a summary when it is over."""

from __future__ import annotations

import io

from rich.console import Console

from assay.data.run import Entry
from assay.data.verdict import Status
from assay.report.run_progress import RunProgress, duration
from sample_records import TASK, candidate, verdict


def _entry(number: int) -> Entry:
    return Entry(number=number, task=TASK, candidate=candidate(f"k{number}", str(number)))


def test_a_terminal_shows_counts_rate_and_stages_and_then_the_summary() -> None:
    screen = io.StringIO()
    console = Console(file=screen, force_terminal=True, width=200, color_system=None)
    counts = {"open": 3, "accepted": 1}
    with RunProgress(console, lambda: counts, "cpu") as progress:
        progress.show(_entry(0), "building")
        progress.show(_entry(1), "checking")
        progress.add(_entry(0), verdict(Status.INCORRECT))
        text = progress._text().plain
        assert text.startswith("2/4  accepted 1  incorrect 1  ")
        assert "/min  " in text and " left" in text
        assert text.splitlines()[1].split() == ["cpu", "checking", "1"]
    assert screen.getvalue().rstrip().splitlines()[-1].endswith("; 1 were known.")


def test_answers_of_other_processes_are_counted() -> None:
    counts = {"open": 3}
    console = Console(file=io.StringIO())
    with RunProgress(console, lambda: counts, "cpu", quiet=True) as progress:
        counts = {"open": 0, "accepted": 3}
        progress._counted_s -= 60
        progress.add(_entry(0), verdict())
        assert progress._text().plain.startswith("3/3  accepted 3")


def test_a_pipe_gets_one_line_an_answer() -> None:
    pipe = io.StringIO()
    with RunProgress(Console(file=pipe, width=20), lambda: {"open": 2}, "cpu") as progress:
        progress.show(_entry(0), "building")
        progress.add(_entry(0), verdict(reason="a reason that is longer than the line is wide"))
    lines = pipe.getvalue().splitlines()
    assert lines[0] == ("[1/2] softmax k0: accepted: a reason that is longer than the line is wide")
    assert len(lines) == 2 and lines[1].startswith("Judged 1 in 0 s")


def test_durations_are_in_the_unit_that_says_something() -> None:
    assert [duration(s) for s in (7, 120, 7200)] == ["7 s", "2 min", "2.0 h"]
