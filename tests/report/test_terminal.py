"""One verdict and many on a terminal."""

from __future__ import annotations

import io
import itertools

from rich.console import Console
from rich.text import Text

from assay.data.evidence import Severity
from assay.data.observations.measurement import Difference
from assay.data.verdict import Correct, Coverage, Honest, Limits, Outcome, Status
from assay.report import colours
from assay.report.summary import SummaryTable
from assay.report.terminal import print_verdict, worst_first
from sample_records import TIMING, WRONG, row, verdict


def console(width: int = 200) -> Console:
    return Console(file=io.StringIO(), width=width, highlight=False, markup=False)


def shown(made: Console) -> list[str]:
    assert isinstance(made.file, io.StringIO)
    return [line.rstrip() for line in made.file.getvalue().splitlines()]


def test_an_accepted_kernel_takes_about_eight_lines() -> None:
    screen = console()
    rows = tuple(row(cols, used=cols / 1000) for cols in range(1, 41))
    print_verdict(screen, verdict(workloads=rows, timing=(TIMING,)))
    lines = shown(screen)
    assert len(lines) <= 10
    assert lines[0].startswith("softmax  kernel.py")
    assert "Sample CPU" in lines[1]
    assert lines[2].split()[:3] == ["ok", "rows=4", "cols=40"]
    assert any("+36 more ok" in line for line in lines)
    assert "2.00x eager [1.90 2.10]" in lines[-2]
    assert lines[-1].startswith("accepted  right yes, honest yes. It is accepted.")


def test_failures_come_first_and_the_rest_is_counted_by_outcome() -> None:
    screen = console()
    rows = (
        *(row(cols) for cols in range(10)),
        row(77, Outcome.WRONG, 5.0),
        row(78, Outcome.CRASHED, None),
        *(row(cols, Outcome.WRONG, 2.0) for cols in range(5)),
    )
    print_verdict(screen, verdict(Status.INCORRECT, workloads=rows, evidence=(WRONG,)))
    lines = shown(screen)
    assert lines[2].split()[0] == "crashed"
    assert lines[3].split()[0] == "wrong" and "500 %" in lines[3]
    assert any("+3 more wrong" in line for line in lines)
    assert any("+10 more ok" in line for line in lines)
    assert "  convicts wrong_value  output[0, 3]: got 0, expected 1" in lines
    assert lines[-2] == "  not timed: not asked for"


def test_convicting_evidence_stands_before_notes_and_the_rest_is_counted() -> None:
    screen = console()
    note = WRONG.model_copy(update={"severity": Severity.NOTE})
    print_verdict(screen, verdict(Status.INCORRECT, evidence=(*[note] * 9, WRONG)))
    lines = shown(screen)
    assert lines[2].startswith("  convicts")
    assert any("+4 more findings" in line for line in lines)


def test_text_that_looks_like_markup_is_printed_as_it_is() -> None:
    screen = console()
    print_verdict(screen, verdict(Status.CRASHED, reason="[red]x[/nope] :smile:"))
    assert "[red]x[/nope] :smile:" in shown(screen)[-1]


def test_sorting_does_not_lose_rows() -> None:
    rows = tuple(row(c, o, u) for c, (o, u) in enumerate(itertools.product(Outcome, (None, 0.5))))
    assert sorted(r.axes["cols"] for r in worst_first(rows)) == list(range(len(rows)))


def test_every_status_outcome_and_answer_has_a_colour() -> None:
    assert set(colours.STATUS) == set(Status)
    assert set(colours.OUTCOME) == set(Outcome)
    assert set(colours.SEVERITY) == set(Severity)
    assert set(colours.ANSWER) == {a.value for a in (*Correct, *Honest)}


def test_a_summary_grows_by_one_aligned_row_a_verdict() -> None:
    screen = console()
    table = SummaryTable(screen, ["short.py", "a_longer_name.py"], extra_column="as labelled")
    table.open()
    table.add(verdict(candidate="short.py", timing=(TIMING,)), Text("yes"))
    assert len(shown(screen)) == 2
    table.add(verdict(Status.OUT_OF_MEMORY, candidate="a_longer_name.py"), Text("no: accepted"))
    table.close()
    heading, first, second, tally = shown(screen)
    assert heading.index("reason") == first.index("It is") == second.index("It is")
    assert "2.00x" in first and "yes" in first
    assert "out_of_memory" in second and "no: accepted" in second
    assert tally == "1 accepted, 1 out_of_memory of 2"


def test_a_row_is_one_line_in_a_pipe_however_long_the_reason() -> None:
    screen = console(width=10_000)
    table = SummaryTable(screen, ["k.py"])
    table.add(verdict(candidate="k.py", reason="word " * 300))
    assert len(shown(screen)) == 1


def test_on_a_narrow_terminal_the_reason_stands_below_its_row() -> None:
    screen = console(width=80)
    table = SummaryTable(screen, ["kernel.py"])
    table.open()
    table.add(verdict(reason="A sentence that would not fit beside the answers."))
    _, cells, reason = shown(screen)
    assert cells.startswith("kernel.py  accepted")
    assert reason == "    A sentence that would not fit beside the answers."


def test_word_launch_bound_and_speed_of_light_stand_in_one_line() -> None:
    screen = console(width=300)
    limits = Limits(bytes=1, flops=0, sol_us=1.0, sol_fraction=0.5, bound="memory")
    said = {"difference": Difference.NOT_SHOWN, "launch_bound": True, "remarks": ("it drifted",)}
    made = TIMING.model_copy(update=said)
    print_verdict(screen, verdict(timing=(made, made), limits=limits))
    line, remark, _ = shown(screen)[-3:]
    assert "no difference shown, launch-bound" in line
    assert line.endswith("50 % of the speed of light (memory)")
    assert remark == "  it drifted"


def test_a_remark_on_the_task_has_a_line() -> None:
    screen = console()
    print_verdict(screen, verdict(task_remarks=("degenerate task: zeros are right",)))
    assert "  degenerate task: zeros are right" in shown(screen)


def test_coverage_in_words_follows_its_share() -> None:
    screen = console()
    found = Coverage(asked=4, answered=3, refused=1, share=0.75, words="refuses dim 65")
    print_verdict(screen, verdict(coverage=found))
    assert any("75 %" in line and "refuses dim 65" in line for line in shown(screen))


def test_coverage_is_printed_where_something_is_missing() -> None:
    for answered, refused, wanted in ((3, 1, "75 %"), (3, 0, "1 not"), (4, 0, "")):
        screen = console()
        found = Coverage(asked=4, answered=answered, refused=refused, share=answered / 4)
        print_verdict(screen, verdict(coverage=found))
        lines = [line for line in shown(screen) if line.startswith("  coverage")]
        assert len(lines) == (1 if wanted else 0) and all(wanted in line for line in lines)
