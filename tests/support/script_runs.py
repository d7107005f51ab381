"""A candidate of the small exam behind a wall, with the script runner that asks it."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Settings
from assay.exam.candidate_build import Builder
from assay.exam.exam import ContentKey, Exam
from assay.exam.pace import Pace
from assay.exam.script_runner import ENOUGH_WRONG, ScriptRunner
from assay.sandbox.host.session import Session
from support.walls import ROADS, Room, forced

MODEL = """
import time
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(()))
        self.calls = 0
    def forward(self, x):
        self.calls += 1
        y = x.sum(-1) * self.scale
{body}
"""
STEADY = "return y"


@contextlib.contextmanager
def script_run(
    rooms: dict[str, Room], exam: Exam, body: str, enough_wrong: int = ENOUGH_WRONG
) -> Iterator[ScriptRunner]:
    """Built and ready; `body` ends its forward."""
    lines = "\n".join(f"        {line}" for line in body.strip().splitlines())
    main = SourceFile(path="kernel.py", text=MODEL.format(body=lines))
    candidate = Candidate(name="it", language="torch", sources=(main,))
    road = ROADS[0]
    room = rooms[road]
    with forced(road):
        session = Session(room.wall)
    try:
        built = Builder(exam, None).build(session, candidate, Settings(timeout_s=60.0))
        assert built.seen.ok, built.seen.log
        pace = Pace(20.0, 10.0, built.first_call_s, exam.content(ContentKey(0)).elements)
        script_runner = ScriptRunner(
            exam, session, pace, lambda share: None, enough_wrong=enough_wrong
        )
        script_runner.instances.adopt(0)
        yield script_runner
    finally:
        session.close()
