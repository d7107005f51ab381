"""The command that repeats a verdict: every word quoted, nothing left out."""

from __future__ import annotations

import shlex

import pytest

from assay.data.run import Judgement
from assay.data.settings import Cache, Settings
from assay.data.verdict import Status
from assay.report.html.reproduce_commands import VerdictOrigin, commands
from docs.shown_commands import wrong_with
from sample_records import candidate, judgement


def judged(name: str = "mine/k.py", **settings: object) -> Judgement:
    return judgement(candidate(name), Settings.model_validate(settings), Status.ACCEPTED)


def test_a_stored_verdict_fetches_its_record_first() -> None:
    said = commands(VerdictOrigin("native", "runs/a b"), 3, judged(timing=False))
    assert said == (
        "assay show 'runs/a b' 3 --json > record.json",
        "assay eval softmax mine/k.py --replay record.json --no-timing",
    )


@pytest.mark.parametrize(
    "settings",
    [
        {},
        {"baselines": ("eager", "compile"), "cache": Cache.BOTH, "timeout_s": 5.5},
        {"explain": True, "first_fault": True, "min_coverage": 0.5, "allow_packages": ("einops",)},
    ],
)
def test_the_real_parser_takes_it(settings: dict[str, object]) -> None:
    (said,) = commands(VerdictOrigin("softmax"), 0, judged(**settings))
    assert wrong_with(tuple(shlex.split(said)), complete=True) is None


def test_without_a_plan_what_it_would_fix_is_spelt_out() -> None:
    one = judged(tf32=True)
    bare = one.model_copy(update={"verdict": one.verdict.model_copy(update={"plan": None})})
    (said,) = commands(VerdictOrigin("native", "run"), 0, bare)
    assert "--replay" not in said
    assert "--device cpu --level standard --track kernel --tf32 on" in said


@pytest.mark.parametrize(
    ("name", "word"),
    [("$(rm x);`y`.py", "$(rm x);`y`.py"), ("-x.py", "./-x.py"), ("a\x1b[2J\n.py", "CANDIDATE")],
)
def test_a_name_is_one_word_and_no_flag_and_shows_nothing_odd(name: str, word: str) -> None:
    (said,) = commands(VerdictOrigin("softmax"), 0, judged(name))
    assert shlex.split(said)[3] == word


@pytest.mark.parametrize(
    ("asked", "task"),
    [
        ("native", "t"),
        ("kernelbench:f", "kernelbench:f#t"),
        ("kernelbench:f#t", "kernelbench:f#t"),
        ("p/t.py", "p/t.py"),
    ],
)
def test_the_task_is_what_eval_takes(asked: str, task: str) -> None:
    assert VerdictOrigin(asked).task("t") == task
