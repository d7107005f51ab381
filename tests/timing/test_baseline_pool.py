"""Baselines that stay from one candidate to the next: who is raised when, and who is left out."""

from __future__ import annotations

import random
import threading
from types import SimpleNamespace
from typing import Any, cast

import pytest

from assay.data.settings import Settings
from assay.exam.weight_scales import SEEDED
from assay.sandbox.host.session import Session
from assay.timing import baseline_pool
from assay.timing.baseline import NULL, BaselineLost
from assay.timing.baseline_pool import BaselinePool
from assay.timing.device_rounds import DeviceSide


class _Opened:
    """A session of a name that can be closed."""

    def __init__(self, name: str) -> None:
        self.name, self.closed = name, False

    def close(self) -> None:
        self.closed = True


class _Sessions:
    """Raises them; each waits until as many are at it as are meant to be side by side."""

    def __init__(self, side_by_side: int = 1, broken: str = "") -> None:
        self._barrier = threading.Barrier(side_by_side, timeout=60.0)
        self._broken = broken
        self.made: list[_Opened] = []
        self.entered: list[str] = []

    def open(self, _wall: object, _exam: object, _settings: object, name: str) -> Session:
        self._barrier.wait()
        if name == self._broken:
            raise BaselineLost(name, "it does not build")
        self.made.append(_Opened(name))
        return cast(Session, self.made[-1])

    def enter(self, name: str, session: Session) -> DeviceSide:
        self.entered.append(name)
        return DeviceSide(name, session, cast(Any, None), cast(Any, None))


def _pool(sessions: _Sessions, monkeypatch: pytest.MonkeyPatch) -> BaselinePool:
    monkeypatch.setattr(baseline_pool, "open_baseline", sessions.open)
    exam = SimpleNamespace(secret=SimpleNamespace(random=lambda _: random.Random(1)))
    settings = Settings(device="cuda", baselines=("eager",))
    made = BaselinePool(cast(Any, None), cast(Any, exam), settings)
    monkeypatch.setattr(made, "enter", sessions.enter)
    return made


def test_baselines_are_raised_side_by_side_and_laid_in_order(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sessions = _Sessions(side_by_side=2)
    pool = _pool(sessions, monkeypatch)
    pool.build()
    assert sorted(one.name for one in sessions.made) == ["eager", NULL]
    assert sessions.entered == ["eager", NULL]
    pool.build()
    assert len(sessions.made) == 2


def test_what_was_opened_ahead_is_used_and_not_opened_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sessions = _Sessions(side_by_side=3)
    pool = _pool(sessions, monkeypatch)
    pool.open(processes=2)
    assert [side.name for side in pool.baselines(SEEDED, processes=2)] == ["eager", "eager", NULL]
    assert len(sessions.made) == 3


def test_one_that_does_not_build_is_told_and_not_tried_twice(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sessions = _Sessions(broken="eager")
    pool = _pool(sessions, monkeypatch)
    pool.build()
    with pytest.raises(BaselineLost, match="it does not build"):
        pool.baselines(SEEDED)
    assert [side.name for side in pool.baselines(SEEDED, ["eager"])] == [NULL]


def test_closing_ends_those_that_were_opened_and_never_used(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    sessions = _Sessions()
    pool = _pool(sessions, monkeypatch)
    pool.open(processes=2)
    pool.baselines(SEEDED)
    pool.drop("eager")
    assert [one.closed for one in sessions.made if one.name == "eager"] == [True, True]
    pool.dismiss()
    assert all(one.closed for one in sessions.made)
