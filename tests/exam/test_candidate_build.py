"""Building: phases, what is kept of a build, and candidates that spoil their own folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Level, Settings
from assay.data.workload import Workload
from assay.exam.build_cache import BuildCache
from assay.exam.candidate_build import Builder, Built
from assay.exam.exam import Exam
from support.small_exam import TASK, make_exam
from support.walls import Inside, Room

HONEST = """
import torch
class ModelNew(torch.nn.Module):
    def __init__(self):
        super().__init__()
        self.scale = torch.nn.Parameter(torch.ones(()))
    def forward(self, x):
        return x.sum(-1) * self.scale
"""
SETTINGS = Settings(level=Level.QUICK, timeout_s=60.0, build_timeout_s=60.0)


@pytest.fixture(scope="module")
def exam() -> Exam:
    own = (Workload(axes={"rows": 16, "cols": 32}, dtype="float32", own=True),)
    return make_exam(Level.QUICK, TASK, own)


def _candidate(text: str, *more: SourceFile) -> Candidate:
    main = SourceFile(path="kernel.py", text=text)
    return Candidate(name="it", language="torch", sources=(main, *more))


def _build(inside: Inside, exam: Exam, candidate: Candidate, cache: BuildCache | None) -> Built:
    builder = Builder(exam, cache)
    return builder.build(inside.session, candidate, SETTINGS)


def test_a_build_that_works(best_room: Room, exam: Exam) -> None:
    with best_room.enter() as inside:
        built = _build(inside, exam, _candidate(HONEST), None)
    assert built.seen.ok and not built.seen.cached
    assert 0 < built.first_call_s < 5 and built.seen.seconds > 0


@pytest.mark.parametrize(
    ("text", "phase", "words"),
    [
        ("def broken(:", "import", "SyntaxError"),
        ("import nowhere_to_be_found", "import", "ModuleNotFoundError"),
        ("class Other: pass", "import", "defines no ModelNew"),
        (HONEST.replace("super().__init__()", "1 / 0"), "construct", "ZeroDivisionError"),
        (HONEST.replace("return x", "return y"), "first call", "NameError"),
    ],
)
def test_a_failure_names_its_phase_and_its_words(
    best_room: Room, exam: Exam, text: str, phase: str, words: str
) -> None:
    with best_room.enter() as inside:
        seen = _build(inside, exam, _candidate(text), None).seen
    assert (seen.ok, seen.phase) == (False, phase)
    assert words in seen.log


def test_memory_refused_in_the_constructor_is_told_apart(best_room: Room, exam: Exam) -> None:
    text = HONEST.replace("super().__init__()", "torch.empty(1 << 40)")
    with best_room.enter() as inside:
        built = _build(inside, exam, _candidate(text), None)
    assert built.out_of_memory and not built.seen.ok


def test_further_files_lie_beside_the_first(best_room: Room, exam: Exam) -> None:
    text = "import os\nassert os.path.exists(os.path.dirname(__file__) + '/more/data.h')\n" + HONEST
    with best_room.enter() as inside:
        candidate = _candidate(text, SourceFile(path="more/data.h", text="// nothing"))
        assert _build(inside, exam, candidate, None).seen.ok


COUNTING = """
import os
path = os.environ["HOME"] + "/built"
print("found" if os.path.exists(path) else "new", flush=True)
open(path, "w").close()
"""


def test_what_was_built_is_met_again_by_the_same_candidate_only(
    best_room: Room, exam: Exam, tmp_path: Path
) -> None:
    cache = BuildCache(tmp_path, "tools")
    said = []
    for text in (COUNTING + HONEST, COUNTING + HONEST, COUNTING + HONEST + "# another"):
        with best_room.enter() as inside:
            built = _build(inside, exam, _candidate(text), cache)
            said.append((inside.session.process.output().strip(), built.seen.cached))
    assert said == [("new", False), ("found", True), ("new", False)]


def test_the_sources_are_laid_out_again_over_what_was_kept(
    best_room: Room, exam: Exam, tmp_path: Path
) -> None:
    """A candidate that rewrote itself during its build is itself again the next time."""
    rewriting = HONEST + "\nopen(__file__, 'w').write('raise ValueError')\n"
    cache = BuildCache(tmp_path, "tools")
    for _ in range(2):
        with best_room.enter() as inside:
            assert _build(inside, exam, _candidate(rewriting), cache).seen.ok


@pytest.mark.parametrize(
    "spoil",
    [
        "os.remove(__file__); os.symlink('/usr/bin/env', __file__)",
        "os.remove(__file__); os.mkdir(__file__)",
        "os.remove(os.environ['HOME'] + '/.keep'); os.mkdir(os.environ['HOME'] + '/.keep')",
        "os.rename(os.environ['HOME'], 'moved'); os.symlink('moved', os.environ['HOME'])",
    ],
)
def test_a_candidate_that_spoils_its_folder_does_not_stop_the_judge(
    best_room: Room, exam: Exam, tmp_path: Path, spoil: str
) -> None:
    candidate = _candidate(f"import os\n{HONEST}\n{spoil}\n")
    cache = BuildCache(tmp_path, "tools")
    for _ in range(2):
        with best_room.enter() as inside:
            assert _build(inside, exam, candidate, cache).seen.ok
