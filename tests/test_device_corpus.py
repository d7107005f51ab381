"""Cases of the device corpus that are judged side by side."""

from __future__ import annotations

import argparse
import os
import signal
import sys
import threading
import time
from concurrent.futures import Future
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

import device_corpus
from device_corpus import Clock, ProfileRun, judge_together
from device_record import FAILED, DeviceFinding, DeviceRecord

from corpus_case import CUDA_CORPUS, CorpusCase, cases

FLAGS = argparse.Namespace(
    device="cpu", level="quick", no_timing=True, timeout_s=30.0, build_timeout_s=60.0
)


class Together:
    """Ends what it is told to, last first; the rest never ends."""

    def __init__(self, *ends: Any) -> None:
        self._ends, self.futures = list(ends), []
        self.asked: list[dict[str, Any]] = []

    def submit(self, task: str, path: Path, **options: Any) -> Future[Any]:
        self.futures.append(Future[Any]())
        self.asked.append(options)
        if len(self.futures) == len(self._ends):
            for future, end in reversed(list(zip(self.futures, self._ends, strict=True))):
                if isinstance(end, Exception):
                    future.set_exception(end)
                elif end is not None:
                    future.set_result(end)
        return self.futures[-1]


def _judged(
    monkeypatch: pytest.MonkeyPatch, path: Path, together: Together, left_s: float
) -> list[DeviceFinding]:
    """Of three cases; what was recorded."""

    def found(case: CorpusCase, repeat: int, verdict: str) -> DeviceFinding:
        return DeviceFinding(case.full_name, repeat, case.label, verdict, True, (), "", 1.0, "")

    monkeypatch.setattr(device_corpus, "finding_of", found)
    run = ProfileRun(FLAGS, DeviceRecord(path), Clock(time.monotonic() + left_s))
    judge_together(together, cases(CUDA_CORPUS)[:3], 0, run)  # type: ignore[arg-type]
    return list(DeviceRecord(path)._found.values())


def _verdict(text: str) -> Any:
    return SimpleNamespace(verdict=text)


def test_each_case_is_recorded_when_it_ends_and_never_again(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    path, broken = tmp_path / "record.jsonl", ValueError("ours")
    first = Together(_verdict("accepted"), broken, _verdict("dishonest"))
    found = _judged(monkeypatch, path, first, 60.0)
    assert sorted(one.status for one in found) == ["accepted", "dishonest", FAILED]
    assert first.asked[0]["level"] == "quick" and first.asked[0]["timing"] is False
    again = Together(_verdict("incorrect"))  # of the one that we failed at
    found = _judged(monkeypatch, path, again, 60.0)
    assert len(again.futures) == 1
    assert sorted(one.status for one in found) == ["accepted", "dishonest", "incorrect"]


def test_what_goes_on_when_the_time_is_up_is_cancelled_and_not_recorded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setattr(device_corpus, "LEAST_LEFT_S", 0.05)
    together = Together(None, _verdict("accepted"), None)
    found = _judged(monkeypatch, tmp_path / "record.jsonl", together, 0.3)
    assert [one.status for one in found] == ["accepted"]
    assert [one.cancelled() for one in together.futures] == [True, False, True]
    late = Together(_verdict("accepted"))
    assert len(_judged(monkeypatch, tmp_path / "record.jsonl", late, 0.0)) == 1
    assert late.futures == []


def test_a_signal_cancels_what_goes_on_and_keeps_what_was_recorded(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    before = signal.signal(signal.SIGTERM, device_corpus.leave)
    together = Together(None, _verdict("accepted"), None)
    threading.Timer(0.3, os.kill, (os.getpid(), signal.SIGTERM)).start()
    try:
        with pytest.raises(SystemExit, match="143"):
            _judged(monkeypatch, tmp_path / "record.jsonl", together, 60.0)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert [one.cancelled() for one in together.futures] == [True, False, True]
    kept = DeviceRecord(tmp_path / "record.jsonl")._found.values()
    assert [one.status for one in kept] == ["accepted"]
