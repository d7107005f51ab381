"""`assay profile`: as text, as JSON, and every mistake; on a GPU where there is one."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
import torch

import assay.profile.profiler
from assay.app.main import main
from assay.data.candidate import Candidate
from assay.data.observations.profile import KernelRow, NotProfiled, Profile
from assay.profile.profiler import Report, Subject

Captured = pytest.CaptureFixture[str]
KERNEL = str(Path(__file__).parents[2] / "examples" / "rmsnorm" / "honest__triton_rows.py")


class ScriptedProfiler:
    """Remembers what it was asked, and says that one kernel takes all the time."""

    def __init__(self) -> None:
        self.subjects: list[Subject] = []
        self.fails = False

    def profile(
        self, subject: Subject, candidate: Candidate, report: Report
    ) -> Profile | NotProfiled:
        report("building", None)
        self.subjects.append(subject)
        about = {"task": subject.reference.task.id, "candidate": candidate.name, "device": "X"}
        if self.fails:
            return NotProfiled(**about, phase="import", reason="SyntaxError: no")
        row = KernelRow(name="mine", calls=1, total_us=9.0, share=1.0, library=False)
        return Profile(
            **about,
            axes=dict(subject.axes),
            time_us=10.0,
            kernels=(row,),
            trusted=subject.trusted,
        )


@pytest.fixture
def profiler(monkeypatch: pytest.MonkeyPatch) -> ScriptedProfiler:
    scripted = ScriptedProfiler()
    monkeypatch.setattr(assay.profile.profiler, "profile", scripted.profile)
    return scripted


@pytest.fixture
def kernel(tmp_path: Path) -> str:
    file = tmp_path / "k.py"
    file.write_text("class ModelNew: ...\n")
    return str(file)


def test_a_page_and_a_line(profiler: ScriptedProfiler, kernel: str, capsys: Captured) -> None:
    assert main(["profile", "softmax", kernel]) == 0
    page = capsys.readouterr().out
    assert "10.0 us a call on X" in page and "mine, the only kernel" in page
    assert "rows=512 cols=2048" in page and "WITHOUT" not in page
    assert main(["profile", "softmax", kernel, "--json"]) == 0
    (line,) = capsys.readouterr().out.splitlines()
    assert Profile.model_validate_json(line).kernels[0].name == "mine"
    first = profiler.subjects[0]
    assert first.settings.device == "cuda" and first.counters and not first.trusted


def test_other_sizes_and_trust(profiler: ScriptedProfiler, kernel: str, capsys: Captured) -> None:
    assert main(["profile", "softmax", kernel, "--at", "rows=7", "--trust"]) == 0
    assert dict(profiler.subjects[0].axes) == {"rows": 7, "cols": 2048}
    assert profiler.subjects[0].trusted and "WITHOUT the wall" in capsys.readouterr().out


def test_a_candidate_that_failed(profiler: ScriptedProfiler, kernel: str, capsys: Captured) -> None:
    profiler.fails = True
    assert main(["profile", "softmax", kernel]) == 1
    assert "it failed at import\nSyntaxError: no" in capsys.readouterr().out
    assert main(["profile", "softmax", kernel, "--json"]) == 1
    assert json.loads(capsys.readouterr().out)["phase"] == "import"


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (["--device", "cpu"], "--device cuda"),
        (["--at", "x=1"], "rows, cols"),
        (["--trust", "--no-ncu"], "give one"),
    ],
)
def test_mistakes_are_one_line(
    arguments: list[str], says: str, kernel: str, capsys: Captured
) -> None:
    assert main(["profile", "softmax", kernel, *arguments]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert says in line


@pytest.mark.skipif(torch.cuda.is_available(), reason="there is a GPU")
def test_without_a_gpu_it_says_what_is_missing(kernel: str, capsys: Captured) -> None:
    assert main(["profile", "softmax", kernel]) == 2
    assert "device 'cuda' cannot be used here" in capsys.readouterr().err


@pytest.mark.skipif(not torch.cuda.is_available(), reason="there is no GPU")
def test_a_real_kernel_on_a_gpu(capsys: Captured) -> None:
    assert main(["profile", "rmsnorm", KERNEL, "--json"]) == 0
    found = Profile.model_validate_json(capsys.readouterr().out)
    assert found.time_us > 0 and found.kernels and found.launch_us is not None
    assert 0.3 < found.kernels_us / found.time_us < 1.5
    assert all(0 < (row.registers or 0) < 256 for row in found.kernels)
