"""Results that are held alive are the same after all later calls."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from assay.checks.held_results import read_held_results
from assay.data.evidence import EvidenceKind
from assay.data.observations.call import Mix
from assay.data.settings import Level
from assay.exam.exam import ContentKey, Draw, Exam
from assay.exam.script import ScriptedBatch, ScriptedCall, write_script
from assay.exam.weight_scales import FIRST_WEIGHTS
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import AT_START
from assay.sandbox.protocol.replies import Reply, ReplyCode
from assay.sandbox.protocol.requests import HandOverHeld, Request
from checks.contexts import context_of
from support.script_runs import STEADY, script_run
from support.small_exam import make_exam
from support.walls import Room

RING = """
import builtins
ring = self.__dict__.setdefault("ring", [])
if len(ring) < 3:
    ring.append(torch.empty_like(y))
else:
    ring.append(ring.pop(0))
return ring[-1].copy_(y)
"""


@pytest.fixture(scope="module")
def exam() -> Exam:
    return make_exam(Level.QUICK)


def _script() -> list[ScriptedBatch]:
    calls = [
        ScriptedCall(ContentKey(0, Draw(number=n)), AT_START, FIRST_WEIGHTS, Mix.PLAIN)
        for n in range(5)
    ]
    batches = [ScriptedBatch((call,), copy_each=True) for call in calls]
    return [replace(batches[0], held=True), *batches[1:]]


def test_a_fresh_result_stays_what_it_was(rooms: dict[str, Room], exam: Exam) -> None:
    with script_run(rooms, exam, STEADY) as script_runner:
        script_runner.run(_script())
        (seen,) = read_held_results(context_of(script_runner))
    assert not script_runner.wrong and seen.findings == ()


def test_a_reading_that_fails_once_is_no_change(
    rooms: dict[str, Room], exam: Exam, monkeypatch: pytest.MonkeyPatch
) -> None:
    """On a GPU an error of an earlier launch is told by whoever comes next, and only once."""
    with script_run(rooms, exam, STEADY) as script_runner:
        script_runner.run(_script())
        context = context_of(script_runner)
        ask, failed = context.session.ask, [Reply(0, ReplyCode.BROKE, 0)]

        def asked(request: Request, deadline: Deadline) -> Reply:
            if isinstance(request, HandOverHeld) and failed:
                return failed.pop()
            return ask(request, deadline)

        monkeypatch.setattr(context.session, "ask", asked)
        (seen,) = read_held_results(context)
    assert not failed and seen.findings == ()


def test_a_ring_of_results_is_seen(rooms: dict[str, Room], exam: Exam) -> None:
    """While it is called, for the held result shares its memory, and by what is left of it."""
    with script_run(rooms, exam, RING) as script_runner:
        script_runner.run(_script())
        (seen,) = read_held_results(context_of(script_runner))
    (finding,) = seen.findings
    assert script_runner.wrong and finding.kind is EvidenceKind.RESULT_OVERWRITTEN
    assert finding.where == "rows=16, cols=32" and "1 of 1 results" in finding.text


def test_a_script_holds_results_of_the_own_shape_and_of_others(exam: Exam) -> None:
    for seed in range(4):
        script = write_script(exam, random.Random(seed), [])
        held = [number for number, batch in enumerate(script) if batch.held]
        assert held and max(held) < len(script) // 2
