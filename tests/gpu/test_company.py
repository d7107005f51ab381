"""Several candidates at a time on one device: each gets the verdict that it gets alone."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
import torch

from assay.data.evidence import Severity
from assay.data.progress import Progress
from assay.data.settings import Level, Settings
from assay.devices.device_company import DeviceCompany
from assay.devices.device_registry import backend
from assay.pipeline import evaluate_many
from corpus_case import CUDA_CORPUS, read_case

# One leaves a kernel spinning where nobody who waits for its own context sees it.
CASES = ("triton_flat", "spins_in_another_context", "side_stream_joined", "halves_on_two_streams")


@pytest.mark.parametrize("timing", [False, True])
def test_who_leaves_the_device_at_work_is_told_from_its_neighbours(timing: bool) -> None:
    paths = [CUDA_CORPUS / "gelu" / name / "kernel.py" for name in CASES]
    settings = Settings(device="cuda", level=Level.QUICK, timing=timing, jobs=len(CASES))
    for name, judged in zip(CASES, evaluate_many("gelu", paths, settings), strict=True):
        verdict = judged.verdict
        heavy = [e for e in verdict.evidence if e.severity is not Severity.NOTE]
        asked = read_case(CUDA_CORPUS / "gelu" / name)
        assert asked.is_answered_by(verdict), f"{name}: {verdict.status} {verdict.reason} {heavy}"


def test_honest_neighbours_are_judged_once() -> None:
    """None of them is asked again alone: that costs more than judging them one by one."""
    path = CUDA_CORPUS / "gelu" / "triton_flat" / "kernel.py"
    settings = Settings(device="cuda", level=Level.QUICK, timing=False, jobs=4)
    begun: list[tuple[int, str]] = []
    seen = evaluate_many("gelu", [path] * 4, settings, lambda p: begun.append((p.index, p.stage)))
    assert all(one.verdict.status.value == "accepted" for one in seen)
    starts = [
        index
        for number, (index, stage) in enumerate(begun)
        if stage == "starting" and begun[number - 1] != (index, stage)
    ]
    assert sorted(starts) == [0, 1, 2, 3]


# Works in turns from when the file is there: 400 ms at work, 100 ms at rest.
_NEIGHBOUR = """
import os, sys, time, torch
x = torch.ones(8192, 8192, device="cuda")
x @ x
torch.cuda.synchronize()
print(os.getpid(), flush=True)
while True:
    if os.path.exists(sys.argv[1]):
        until = time.monotonic() + float(sys.argv[2])
        while time.monotonic() < until:
            x @ x
            torch.cuda.synchronize()
    time.sleep(0.1)
"""


@contextmanager
def neighbour(begins: Path, at_work_s: float = 0.4) -> Iterator[int]:
    """A process that no longer descends from this one: the shell that started it has ended."""
    command = '"$0" -c "$1" "$2" "$3" &'
    arguments = [sys.executable, _NEIGHBOUR, str(begins), str(at_work_s)]
    pipe = subprocess.PIPE
    with subprocess.Popen(["sh", "-c", command, *arguments], stdout=pipe, text=True) as shell:
        assert shell.stdout is not None
        pid = int(shell.stdout.readline())
        shell.wait()
        try:
            yield pid
        finally:
            os.kill(pid, signal.SIGKILL)


def test_who_else_is_on_the_device_is_known(tmp_path: Path) -> None:
    torch.ones(1, device="cuda")
    company = DeviceCompany(backend("cuda").processes)
    listed = backend("cuda").processes()
    assert listed is not None and os.getpid() in {one.pid for one in listed}, listed
    assert company.others() == ()
    pipe = subprocess.PIPE
    own = [sys.executable, "-c", _NEIGHBOUR, str(tmp_path / "never"), "0"]
    with subprocess.Popen(own, stdout=pipe, text=True) as child:
        assert child.stdout is not None and child.stdout.readline()
        assert company.others() == ()  # what we started ourselves
        child.kill()
    with neighbour(tmp_path / "never") as pid:
        assert [one.pid for one in company.others()] == [pid]


@pytest.mark.parametrize("at_work_s", [0.4, 30.0])
def test_a_neighbour_of_another_process_convicts_nobody(tmp_path: Path, at_work_s: float) -> None:
    """It begins when the calls do: before that the device was at rest."""
    begins = tmp_path / "begins"

    def begin(progress: Progress) -> None:
        if progress.stage == "calling":
            begins.touch()

    path = CUDA_CORPUS / "gelu" / "triton_flat" / "kernel.py"
    settings = Settings(device="cuda", level=Level.QUICK, timing=False)
    with neighbour(begins, at_work_s):
        (judged,) = evaluate_many("gelu", [path], settings, begin)
    verdict = judged.verdict
    heavy = [e for e in verdict.evidence if e.severity is not Severity.NOTE]
    assert verdict.status.value == "accepted", f"{verdict.reason} {heavy}"
