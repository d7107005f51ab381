"""What a level does not ask stands in its verdict."""

from __future__ import annotations

from dataclasses import replace

from assay.checks.check_registry import all_checks
from assay.data.settings import Level, Settings
from assay.data.verdict import Status
from assay.judge.decide import judge
from assay.judge.left_out import left_out
from support.judge_inputs import case, every_workload


def test_every_check_that_a_level_does_not_run_is_named() -> None:
    for level in Level:
        words = " ".join(left_out(Settings(level=level)))
        for check in all_checks():
            name = check.declared.name
            assert (level in check.declared.levels) or name in words, (level, name)


def test_deeper_levels_leave_out_less() -> None:
    counts = [len(left_out(Settings(level=level, timing=True))) for level in Level]
    assert counts == sorted(counts, reverse=True) and counts[-1] == 0


def test_an_acceptance_of_the_shortest_level_begins_with_it() -> None:
    seen = every_workload()
    short = judge(replace(case(*seen), settings=Settings(level=Level.SMOKE)))
    assert short.status is Status.ACCEPTED
    assert short.reason.startswith("accepted at level smoke: right on every workload")
    assert "speed" in short.left_out
    deep = judge(replace(case(*seen), settings=Settings(level=Level.FULL)))
    assert deep.reason.startswith("right on every workload") and deep.left_out == ()


def test_checks_that_were_left_out_on_request_are_named() -> None:
    settings = Settings(level=Level.FULL, without_checks=("repeated content",))
    found = judge(replace(case(*every_workload()), settings=settings))
    assert found.status is Status.ACCEPTED
    assert found.reason.startswith("accepted without the checks repeated content: right on")
    assert found.left_out == ("the check repeated content, on request",)
