"""Before a candidate is timed: what others may do while its processes are built."""

from __future__ import annotations

import threading
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.candidate_run import CandidateRun
from assay.data.check import CheckStage, Execution
from assay.data.progress import Report
from assay.devices.judges_lock import judges_lock
from assay.timing.device_lease import DeviceLease, Hold
from checks.contexts import context_of

_WAIT_S = 10.0


class _Stopwatch:
    """Notes what its candidate holds at each step, and whether it stands still."""

    def __init__(self, lease: DeviceLease, process: _Process) -> None:
        self._lease, self._process = lease, process
        self.held: dict[str, Hold] = {}
        self.stood_still = False
        self.other_was_timed = False

    def build(self, script_runner: object, report: Report) -> None:
        self.held["build"], self.stood_still = self._lease._now(), self._process.frozen
        other = threading.Thread(target=self._time_another, daemon=True)
        other.start()
        other.join(_WAIT_S)

    def _time_another(self) -> None:
        with self._lease.shared(), self._lease.alone():
            self.other_was_timed = True

    def prepare(self, session: object, report: Report) -> None:
        self.held["prepare"] = self._lease._now()

    def time(self, *_: object) -> list[Any]:
        self.held["time"] = self._lease._now()
        return []


class _Process:
    def __init__(self) -> None:
        self.frozen = False

    def freeze(self) -> None:
        self.frozen = True


@pytest.mark.parametrize("among_judges", [False, True])
def test_others_are_timed_while_its_processes_are_built_but_not_while_inputs_are_laid(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, among_judges: bool
) -> None:
    """Also where one candidate is judged at a time: another judge may start at any moment."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    lease = DeviceLease(True, judges_lock("GPU-timing") if among_judges else None)
    lease.at_once = 1 if among_judges else 2
    process = _Process()
    stopwatch = _Stopwatch(lease, process)
    session = SimpleNamespace(process=process, idle_probe=None)
    script_runner = SimpleNamespace(observations=[], wrong=0, session=session)
    context = context_of(
        cast(Any, script_runner), stage=CheckStage.CALLED, execution=Execution.DEVICE
    )
    shared = SimpleNamespace(
        lease=lease,
        script=[],
        checks=(),
        accelerated=True,
        settings=SimpleNamespace(time_shapes=False),
        stopwatch=lambda _: stopwatch,
    )
    run = CandidateRun(cast(Any, shared), context.candidate, lambda *_: None)
    with lease.shared():
        run._time_right(context, cast(Any, SimpleNamespace(sessions=[], close=lambda: None)))
    assert stopwatch.held == {"build": Hold.ASIDE, "prepare": Hold.SHARED, "time": Hold.ALONE}
    assert stopwatch.stood_still and stopwatch.other_was_timed
