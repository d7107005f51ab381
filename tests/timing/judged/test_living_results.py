"""A process that is timed is asked one shape alone: results and inputs are looked at there too."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from assay.data.settings import Level, Settings
from assay.exam.candidate_build import Builder
from assay.exam.exam import ContentKey
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import output_bytes, timed_calls
from assay.sandbox.host.session import Session
from assay.sandbox.protocol.replies import OutputFlag
from assay.timing.baseline import baseline
from assay.timing.host_side import HostSide, SideEntry
from assay.timing.judged.judged_rounds import TakenCall
from assay.timing.judged.living_results import living_results
from support.small_exam import STATELESS, make_exam
from support.walls import Room, forced

CALLS = 6
HONEST = "y = x.sum(-1)"
STATIC = "y = self.kept; y.copy_(x.sum(-1))"
OF_TWO = "self.turn = 1 - self.turn; y = self.two[self.turn]; y.copy_(x.sum(-1))"
OF_INPUT = "y = x.reshape(-1)[:x.shape[0]]; y.copy_(x.sum(-1))"
SPOILS_INPUT = "y = x.sum(-1); x.mul_(2.0)"
MODEL = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.kept, self.two, self.turn = torch.empty(16), torch.empty(2, 16), 0
    def forward(self, x):
        {body}
        return y
"""


def _strange(room: Room, body: str, path: Path, warm: bool = False) -> TakenCall | None:
    path.write_text(MODEL.format(body=body))
    exam, settings = make_exam(Level.QUICK, STATELESS), Settings(level=Level.SMOKE)
    with forced(room.road):
        session = Session(room.wall)
        try:
            candidate = baseline(str(path), exam.reference.task)
            assert Builder(exam, None).build(session, candidate, settings).seen.ok
            sizes = output_bytes(exam.expectation(ContentKey(0)))
            calls = timed_calls(exam.timed_contents, CALLS, sizes)
            side = HostSide.enter("it", session, calls, SideEntry(random.Random(5), warm, 60.0))
            for _ in range(2):
                side.run(CALLS, Deadline.after(60.0))
                found = living_results(exam, side, random.Random(6), Deadline.after(60.0))
                side.run(CALLS, Deadline.after(60.0))  # timed rounds go on after it
            return found
        finally:
            session.close()


@pytest.mark.parametrize("warm", [False, True])
def test_a_result_of_its_own_and_inputs_left_alone_are_nothing(
    best_room: Room, tmp_path: Path, warm: bool
) -> None:
    assert _strange(best_room, HONEST, tmp_path / "kernel.py", warm) is None


@pytest.mark.parametrize("body", [STATIC, OF_TWO, OF_INPUT])
def test_results_that_share_memory_are_found(best_room: Room, tmp_path: Path, body: str) -> None:
    found = _strange(best_room, body, tmp_path / "kernel.py")
    assert found is not None and found.length == CALLS
    header = found.raw.outputs[0].header
    assert header is not None and header.flags & (OutputFlag.SHARED | OutputFlag.OF_INPUT)


@pytest.mark.parametrize("warm", [False, True])
def test_inputs_that_have_changed_are_found(best_room: Room, tmp_path: Path, warm: bool) -> None:
    found = _strange(best_room, SPOILS_INPUT, tmp_path / "kernel.py", warm)
    assert found is not None and found.raw.inputs_changed == ("input 0",)
