"""More threads than cores are asked of candidates that speak of threads."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, cast

import pytest

from assay.checks import many_threads
from assay.checks.many_threads import ask_with_many_threads
from assay.data.candidate import Candidate, SourceFile
from assay.data.evidence import EvidenceKind, Severity
from assay.data.observations.observation import CheckMissing, CheckSeen
from assay.data.settings import Level
from assay.data.task import Task
from checks.contexts import context_of
from support.script_runs import MODEL, STEADY, script_run
from support.small_exam import TASK, make_exam
from support.walls import ROADS, Room, forced

SPEAKS = "# it asks torch.get_num_threads()\n"
WRONG = "return y if torch.get_num_threads() <= 64 else y + 1"
LOUD = "assert torch.get_num_threads() <= 64\nreturn y"
FIRST = """
global SLOTS
try:
    SLOTS
except NameError:
    SLOTS = torch.get_num_threads()
return y if torch.get_num_threads() <= SLOTS else y + 1
"""
TEAMS = """
import ctypes
dynamic = ctypes.CDLL("libgomp.so.1").omp_get_dynamic()
return y + dynamic
"""
DIES = "import os\nif torch.get_num_threads() > 64:\n    os.abort()\nreturn y"


SCALE = "        self.scale = torch.nn.Parameter(torch.ones(()))\n"
COUNTED = SCALE + '        self.register_buffer("seen", torch.zeros(()))\n'
_SOURCE = TASK.source.replace(SCALE.replace("torch.nn", "nn"), COUNTED.replace("torch.nn", "nn"))
COUNTS = TASK.model_copy(
    update={"source": _SOURCE.replace("        return", "        self.seen += 1\n        return")}
)


def _seen(rooms: dict[str, Room], body: str, speaks: str = SPEAKS, task: Task = TASK) -> list[Any]:
    exam = make_exam(Level.QUICK, task)
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    model = MODEL if task is TASK else MODEL.replace(SCALE, COUNTED)
    main = SourceFile(path="kernel.py", text=speaks + model.format(body=lines))
    candidate = Candidate(name="it", language="torch", sources=(main,))
    road = ROADS[0]
    room = rooms[road]
    with script_run(rooms, exam, STEADY) as script_runner, forced(road):
        context = replace(context_of(script_runner), candidate=candidate, wall=room.wall)
        return list(ask_with_many_threads(context))


def test_who_does_not_speak_of_threads_is_not_asked(rooms: dict[str, Room]) -> None:
    assert _seen(rooms, STEADY, speaks="") == []


def test_who_is_right_with_many_threads(rooms: dict[str, Room]) -> None:
    assert _seen(rooms, STEADY) == [CheckSeen(check=many_threads.NAME)]


def test_every_call_begins_with_the_same_buffers(rooms: dict[str, Room]) -> None:
    counts = f"self.seen += 1\n{STEADY}"
    assert _seen(rooms, counts, task=COUNTS) == [CheckSeen(check=many_threads.NAME)]


@pytest.mark.parametrize(
    ("body", "words"),
    [
        (WRONG, "threads on"),
        (FIRST, "threads on"),
        (TEAMS, "threads on"),
        (DIES, "its process ended"),
    ],
)
def test_who_is_wrong_with_many_threads(rooms: dict[str, Room], body: str, words: str) -> None:
    (seen,) = cast(list[CheckSeen], _seen(rooms, body))
    (finding,) = seen.findings
    assert finding.kind is EvidenceKind.WRONG_VALUE and finding.severity is Severity.CONVICTS
    assert words in finding.text


def test_who_raises_there_is_not_wrong(rooms: dict[str, Room]) -> None:
    (seen,) = _seen(rooms, LOUD)
    assert isinstance(seen, CheckMissing) and not seen.essential
