"""The live line: drawn on a terminal, silent in a pipe, gone before results are printed."""

from __future__ import annotations

import io
import threading

import pytest
from rich.console import Console

from assay.data.progress import Progress
from assay.report.progress_display import ProgressLine, progress_text

STEP = Progress(candidate="k.py", index=0, total=2, stage="building")


def terminal() -> tuple[Console, io.StringIO]:
    file = io.StringIO()
    return Console(file=file, force_terminal=True, width=100, highlight=False), file


def test_a_pipe_sees_nothing() -> None:
    file = io.StringIO()
    with ProgressLine(Console(file=file, force_terminal=False), "softmax") as line:
        line.show(STEP)
    assert file.getvalue() == ""


def test_a_terminal_sees_the_stage_and_then_a_summary_in_the_past_tense() -> None:
    console, file = terminal()
    with ProgressLine(console, "softmax") as line:
        line.show(STEP)
        assert "building" in file.getvalue()
    assert "Judged 1 candidate of softmax in" in file.getvalue().splitlines()[-1]


def test_candidates_of_several_calls_are_all_counted() -> None:
    with ProgressLine(Console(file=io.StringIO()), "the demo") as line:
        for name in ("a.py", "b.py", "b.py"):
            line.show(Progress(name, 0, 1, "building"))
    assert line.summary().startswith("Judged 2 candidates of the demo")


def test_no_thread_draws() -> None:
    console, _ = terminal()
    before = threading.active_count()
    with ProgressLine(console, "softmax") as line:
        line.show(STEP)
        assert threading.active_count() == before


def test_stdout_is_left_alone_while_the_line_is_shown(capsys: pytest.CaptureFixture[str]) -> None:
    console, file = terminal()
    with ProgressLine(console, "softmax") as line:
        line.show(STEP)
        print("a result")
    assert capsys.readouterr().out == "a result\n"
    assert "a result" not in file.getvalue()


def test_another_thread_cannot_draw_into_a_result() -> None:
    console, file = terminal()
    with ProgressLine(console, "softmax") as line:
        other = threading.Thread(target=line.show, args=[STEP])
        with line.hidden():
            other.start()
            other.join(0.1)
            assert other.is_alive() and file.getvalue() == ""
        other.join()
        assert "building" in file.getvalue()


def test_an_interrupt_leaves_no_summary() -> None:
    console, file = terminal()
    with pytest.raises(KeyboardInterrupt), ProgressLine(console, "softmax") as line:
        line.show(STEP)
        raise KeyboardInterrupt
    assert "Judged" not in file.getvalue()


def test_fast_reports_of_one_stage_are_not_all_drawn_but_new_stages_are() -> None:
    console, file = terminal()
    with ProgressLine(console, "softmax") as line:
        for count in range(50):
            line.show(Progress("k.py", 0, 1, "checking", count / 50))
        line.show(Progress("k.py", 0, 1, "timing"))
    assert file.getvalue().count("checking") < 10
    assert file.getvalue().count("timing") >= 1


@pytest.mark.parametrize(("fraction", "full"), [(-1.0, 0), (0.5, 10), (7.0, 20)])
def test_the_bar_stays_within_its_cells(fraction: float, full: int) -> None:
    text = progress_text(Progress("k.py", 0, 1, "checking", fraction), 3.0)
    assert text.plain.count("━") == 20
    green = sum(span.end - span.start for span in text.spans if span.style == "green")
    assert green == full


def test_the_position_among_many_is_shown_from_one() -> None:
    assert progress_text(STEP, 0.0).plain.startswith("1/2  k.py  building")
