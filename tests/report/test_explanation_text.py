"""An explanation on a terminal."""

from __future__ import annotations

from io import StringIO

from rich.console import Console, Group

from assay.data.observations.explanation import Explanation, PatternKind, WrongElement
from assay.data.workload import Layout, Workload
from assay.report.explanation_text import explanation_parts
from assay.report.terminal import verdict_block
from sample_records import verdict

FOUND = Explanation(
    found_on=Workload(axes={"n": 130}, dtype="float32", layout=Layout.STRIDED),
    smallest=Workload(axes={"n": 1}, dtype="float32"),
    output="output",
    shape=(1,),
    pattern=PatternKind.ZEROS,
    text="zero instead of the answer: the last 2 of 130 along dimension 0",
    failure_conditions=("only where n is no multiple of 64; right where it is",),
    wrong=1,
    total=1,
    worst=(WrongElement(index=(0,), expected="1.5", got="nan", budget_used=None),),
    tries=9,
)


def lines(found: Explanation) -> list[str]:
    stream = StringIO()
    Console(file=stream, width=200, highlight=False).print(Group(*explanation_parts(found)))
    return [line.rstrip() for line in stream.getvalue().splitlines()]


def test_words_first_then_numbers() -> None:
    assert lines(FOUND) == [
        "  how: zeros  zero instead of the answer: the last 2 of 130 along dimension 0",
        "  seen with n=130 float32 strided",
        "  fails only where n is no multiple of 64; right where it is",
        "  smallest failing workload: n=1 float32 (9 tried); output [1]: 1 of 1 wrong",
        "    [0]   expected 1.5   got nan",
    ]


def test_a_failure_that_did_not_repeat_has_no_numbers() -> None:
    found = FOUND.model_copy(update={"smallest": None, "worst": (), "failure_conditions": ()})
    assert len(lines(found)) == 2


def test_the_verdict_shows_it_only_where_there_is_one() -> None:
    def text(explanation: Explanation | None) -> str:
        stream = StringIO()
        one = verdict().model_copy(update={"explanation": explanation})
        Console(file=stream, width=200).print(verdict_block(one))
        return stream.getvalue()

    assert "smallest failing workload" in text(FOUND)
    assert "smallest failing workload" not in text(None)
