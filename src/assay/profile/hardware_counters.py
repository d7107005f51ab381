"""Counters: hardware counters of one call, read by `ncu` from a run without the wall.

The rule: only for candidates that the user trusts. The driver gives counters to CAP_SYS_ADMIN of
the first user namespace alone, and who holds that is behind no wall. What is left of one: an
environment without the user's own, a folder of its own, a time limit that ends all it started.
"""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

import torch

import assay
from assay.data.candidate import Candidate
from assay.data.observations.profile import KernelLaunch
from assay.devices.device_adapter import DeviceBackend
from assay.errors import HostError
from assay.exam.exam import ContentKey, Exam
from assay.languages.language import MAIN
from assay.languages.language_registry import language
from assay.profile.ncu_csv import METRICS, parse_ncu
from assay.sandbox.host.wall import neutral_environment
from assay.sandbox.protocol.counted_job import JOB_FILE, CountedJob
from assay.sandbox.protocol.requests import Load

_PROGRAM = "assay.sandbox.child.counted"
_PLACES = ("/usr/local/cuda/bin/ncu",)  # where it lies though no path leads there
_FOLDERS = ("/opt/nvidia/nsight-compute", "/usr/local/cuda/nsight-compute")
_MOST_LAUNCHES = 200
_KERNEL, _LOG, _OUTPUT = "kernel", "counters.csv", "output"


@dataclass(frozen=True)
class Counted:
    """The launches of one call, or why there are none."""

    launches: tuple[KernelLaunch, ...] = ()
    reason: str = ""


def find_ncu() -> str | None:
    """The profiler of this machine."""
    found = shutil.which("ncu")
    newest = [str(p) for f in _FOLDERS for p in sorted(Path(f).glob("*/ncu"), reverse=True)]
    others = [path for path in (*_PLACES, *newest) if os.access(path, os.X_OK)]
    return found or next(iter(others), None)


def counted(exam: Exam, candidate: Candidate, device: DeviceBackend, timeout_s: float) -> Counted:
    """One call of the exam's first workload."""
    ncu = find_ncu()
    if ncu is None:
        return Counted(reason="ncu is not on this machine: it comes with Nsight Compute")
    with tempfile.TemporaryDirectory(prefix="counted-") as folder:
        _lay_out(Path(folder), exam, candidate)
        environment = neutral_environment(folder, device)
        ended = _run(command(ncu, folder), folder, environment, timeout_s)
        return read(Path(folder), ended)


def command(ncu: str, folder: str) -> list[str]:
    """What is run. The clocks stay as they are: to set them takes more than counters do."""
    asked = ["--metrics", ",".join(METRICS), "--launch-count", str(_MOST_LAUNCHES)]
    marks = ["--profile-from-start", "off", "--target-processes", "application-only"]
    printed = ["--csv", "--page", "raw", "--print-units", "base"]
    log = ["--log-file", f"{folder}/{_LOG}"]
    program = [sys.executable, "-m", _PROGRAM, folder]
    return [ncu, "--clock-control", "none", *marks, *asked, *printed, *log, *program]


def read(folder: Path, ended: str) -> Counted:
    """What the profiler left; `ended` says how it did where not well."""
    log = folder / _LOG
    text = log.read_text(errors="replace") if log.exists() else ""
    try:
        launches = parse_ncu(text)
    except HostError as error:
        output = folder / _OUTPUT
        said = output.read_text(errors="replace") if output.exists() else ""
        errors = [line for line in text.splitlines() if line.startswith("==ERROR==")]
        last = (errors or said.strip().splitlines() or [str(error)])[-1]
        return Counted(reason=f"ncu read no counters: {ended or last}"[:300])
    return Counted(launches, "" if launches else "ncu saw no kernel in the counted call")


def _lay_out(folder: Path, exam: Exam, candidate: Candidate) -> None:
    for path, text in language(candidate.language).files(candidate).items():
        file = folder / _KERNEL / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8", errors="replace")
    (folder / "home").mkdir()
    spec = exam.instances[0]
    path = str(folder / _KERNEL / MAIN)
    job = CountedJob(
        Load(path, candidate.entry, language(candidate.language), interpreted=False),
        spec.construct(),
        exam.content(ContentKey(0)).inputs,
    )
    torch.save(job, folder / JOB_FILE)


def _run(command: list[str], folder: str, environment: dict[str, str], timeout_s: float) -> str:
    """How it ended where it had to be ended; else nothing."""
    ours = str(Path(assay.__file__).resolve().parents[1])
    with (Path(folder) / _OUTPUT).open("wb") as output:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment | {"PYTHONPATH": ours},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            process.wait(timeout_s)
        except subprocess.TimeoutExpired:
            return f"it was not done after {timeout_s:g} s"
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.wait()
    return ""
