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
from checks.contexts import context_of
from support.script_runs import MODEL, STEADY, script_run
from support.small_exam import make_exam
from support.walls import Room, forced

SPEAKS = "# it asks torch.get_num_threads()\n"
WRONG = "return y if torch.get_num_threads() <= 64 else y + 1"
LOUD = "assert torch.get_num_threads() <= 64\nreturn y"
DIES = "import os\nif torch.get_num_threads() > 64:\n    os.abort()\nreturn y"


def _seen(rooms: dict[str, Room], body: str, speaks: str = SPEAKS) -> list[Any]:
    exam = make_exam(Level.QUICK)
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    main = SourceFile(path="kernel.py", text=speaks + MODEL.format(body=lines))
    candidate = Candidate(name="it", language="torch", sources=(main,))
    road, room = next(iter(rooms.items()))
    with script_run(rooms, exam, STEADY) as script_runner, forced(road):
        context = replace(context_of(script_runner), candidate=candidate, wall=room.wall)
        return list(ask_with_many_threads(context))


def test_who_does_not_speak_of_threads_is_not_asked(rooms: dict[str, Room]) -> None:
    assert _seen(rooms, STEADY, speaks="") == []


def test_who_is_right_with_many_threads(rooms: dict[str, Room]) -> None:
    assert _seen(rooms, STEADY) == [CheckSeen(check=many_threads.NAME)]


@pytest.mark.parametrize(("body", "words"), [(WRONG, "threads on"), (DIES, "its process ended")])
def test_who_is_wrong_with_many_threads(rooms: dict[str, Room], body: str, words: str) -> None:
    (seen,) = cast(list[CheckSeen], _seen(rooms, body))
    (finding,) = seen.findings
    assert finding.kind is EvidenceKind.WRONG_VALUE and finding.severity is Severity.CONVICTS
    assert words in finding.text


def test_who_raises_there_is_not_wrong(rooms: dict[str, Room]) -> None:
    (seen,) = _seen(rooms, LOUD)
    assert isinstance(seen, CheckMissing) and not seen.essential
