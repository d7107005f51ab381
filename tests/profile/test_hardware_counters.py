"""Counters read through a profiler that is a script: what it is asked, and every way it ends."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
import torch

from assay.data.candidate import Candidate, SourceFile
from assay.data.settings import Level
from assay.devices.cpu_device import CpuBackend
from assay.profile import hardware_counters
from assay.sandbox.protocol.counted_job import JOB_FILE, CountedJob
from support.small_exam import make_exam

CSV = Path(__file__).parent / "ncu" / "three_launches.csv"
CANDIDATE = Candidate(
    name="k.py",
    language="torch",
    sources=(SourceFile(path="k.py", text="class ModelNew: ...\n"),),
)

Install = Callable[[str], Path]


@pytest.fixture
def ncu(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Install:
    """Install a script that has the log's path in $log and the job's folder in $folder."""

    def install(body: str) -> Path:
        lines = 'while [ $# -gt 1 ]; do [ "$1" = --log-file ] && log=$2; shift; done; folder=$1'
        script = tmp_path / "ncu"
        script.write_text(f"#!/bin/sh\n{lines}\n{body}\n")
        script.chmod(0o755)
        monkeypatch.setattr(hardware_counters, "find_ncu", lambda: str(script))
        return tmp_path

    return install


def test_the_launches_of_the_one_call(ncu: Install) -> None:
    kept = ncu(f'cp {CSV} "$log"; cp "$folder/{JOB_FILE}" "$0.job"; env > "$0.env"')
    found = hardware_counters.counted(make_exam(Level.QUICK), CANDIDATE, CpuBackend(), 20.0)
    assert found.reason == "" and len(found.launches) == 3
    job: CountedJob = torch.load(kept / "ncu.job", weights_only=False)
    assert job.load.entry == "ModelNew" and job.load.path.endswith("/kernel/kernel.py")
    assert [tuple(value.shape) for value in job.inputs] == [(16, 32)]
    assert "HOME=" in (kept / "ncu.env").read_text()


@pytest.mark.parametrize(
    ("body", "says"),
    [
        ('echo "==ERROR== ERR_NVGPUCTRPERM: no permission" > "$log"', "ERR_NVGPUCTRPERM"),
        ("echo the call failed: no", "the call failed: no"),
        ("sleep 60", "it was not done after 0.3 s"),
        (f'grep "Kernel Name" {CSV} > "$log"', "saw no kernel"),
    ],
)
def test_what_went_wrong_is_said(ncu: Install, body: str, says: str) -> None:
    ncu(body)
    seconds = 0.3 if "sleep" in body else 20.0
    found = hardware_counters.counted(make_exam(Level.QUICK), CANDIDATE, CpuBackend(), seconds)
    assert says in found.reason and found.launches == ()


def test_without_a_profiler_nothing_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(hardware_counters, "find_ncu", lambda: None)
    found = hardware_counters.counted(make_exam(Level.QUICK), CANDIDATE, CpuBackend(), 1.0)
    assert "Nsight Compute" in found.reason


def test_the_clocks_are_left_alone_and_only_the_marked_call_is_counted() -> None:
    asked = " ".join(hardware_counters.command("/usr/bin/ncu", "/tmp/x"))
    assert asked.startswith("/usr/bin/ncu --clock-control none --profile-from-start off")
    assert "--csv --page raw --print-units base" in asked and asked.endswith("child.counted /tmp/x")
