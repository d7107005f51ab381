"""How a wrong candidate is wrong: shrunk and described, in a process of its own."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pytest

from assay.candidate_run import CandidateRun
from assay.data.axis import Axis
from assay.data.candidate import Candidate, SourceFile
from assay.data.observations.explanation import Explanation, PatternKind
from assay.data.observations.observation import ExplanationSeen
from assay.data.settings import Level, Settings, Track
from assay.data.workload import Distribution, Layout, Workload
from assay.exam.failure.failure_shrinking import simpler
from assay.run_context import RunContext
from sample_records import DEVICE
from support.small_exam import make_exam
from support.walls import ROADS, Room, forced

MODEL = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(()))
        self.calls = 0
    def forward(self, x):
        y = x.sum(-1) * self.scale
{body}
        return y
"""
SETTINGS = Settings(level=Level.QUICK, timing=False, track=Track.OPEN, timeout_s=60.0, explain=True)
Explain = Callable[[str], Explanation | None]


@pytest.fixture(scope="module")
def explain(rooms: dict[str, Room], tmp_path_factory: pytest.TempPathFactory) -> Iterator[Explain]:
    road = ROADS[0]
    room = rooms[road]
    with forced(road), pytest.MonkeyPatch.context() as patch:
        patch.setenv("ASSAY_CACHE", str(tmp_path_factory.mktemp("builds")))
        run_context = RunContext.set_up(room.wall, make_exam(Level.QUICK), SETTINGS, DEVICE)

        def ask(body: str) -> Explanation | None:
            text = MODEL.format(body=f"        {body}")
            main = SourceFile(path="kernel.py", text=text)
            candidate = Candidate(name="it", language="torch", sources=(main,))
            seen = CandidateRun(run_context, candidate, lambda stage, share: None).observe()
            found = [o for o in seen if isinstance(o, ExplanationSeen)]
            return found[0].explanation if found else None

        yield ask


def test_a_right_candidate_needs_no_explanation(explain: Explain) -> None:
    assert explain("pass") is None


def test_a_dropped_tail_is_found_and_shrunk(explain: Explain) -> None:
    found = explain("y[len(y) // 4 * 4:] = 0")
    assert found is not None and found.smallest is not None
    assert found.pattern is PatternKind.ZEROS
    assert set(found.smallest.axes.values()) == {1}, "the batch and the rest as small as can be"
    assert (found.wrong, found.total) == (1, 1)
    assert found.worst[0].index == (0,) and float(found.worst[0].got) == 0.0
    assert float(found.worst[0].expected) != 0.0


def test_a_failure_that_needs_a_size_keeps_it(explain: Explain) -> None:
    found = explain("y = y * (1 + (x.shape[-1] >= 6))")
    assert found is not None and found.smallest is not None
    assert found.pattern is PatternKind.FACTOR and "2 times the answer" in found.text
    sizes = sorted(found.smallest.axes.values())
    assert sizes == [1, 6]


def test_what_fails_only_after_other_calls_is_called_that(explain: Explain) -> None:
    found = explain("self.calls += 1; y = y + (self.calls > 60)")
    assert found is not None
    assert found.pattern is PatternKind.HISTORY and found.smallest is None


def test_a_wrong_form_is_told_in_words(explain: Explain) -> None:
    found = explain("y = y[:, None]")
    assert found is not None
    assert found.pattern is PatternKind.FORM and "shape" in found.text


def test_simpler_workloads_are_legal_and_differ_in_one_respect() -> None:
    axes = {
        "n": Axis(name="n", own=64, low=1, high=4096),
        "k": Axis(name="k", own=32, low=8, high=64, multiple_of=8),
    }
    workload = Workload(
        axes={"n": 65, "k": 32},
        dtype="float32",
        layout=Layout.STRIDED,
        distribution=Distribution.LARGE,
        scale=3,
        own=True,
    )
    made = list(simpler(workload, axes))
    assert made[0].layout is Layout.CONTIGUOUS and made[0].distribution is Distribution.LARGE
    assert made[1].distribution is Distribution.OWN and made[1].scale == 0
    sizes = [(w.axes["n"], w.axes["k"]) for w in made[2:]]
    assert sizes == [(1, 32), (65, 8), (32, 32), (65, 16), (64, 32), (65, 24)]
    assert not any(w.own for w in made)


def test_the_smallest_has_nothing_simpler() -> None:
    axes = {"n": Axis(name="n", own=64, low=1, high=4096)}
    assert list(simpler(Workload(axes={"n": 1}, dtype="float32"), axes)) == []
