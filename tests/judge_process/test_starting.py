"""Threads of judge processes that work beside each other."""

from __future__ import annotations

import os

import pytest

from assay.data.settings import Settings
from assay.judge_process.starting import threads_of


def test_one_that_works_alone_has_every_core(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert "OMP_NUM_THREADS" not in threads_of(Settings(timing=False), 1)


def test_several_share_the_cores(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    monkeypatch.setattr(os, "sched_getaffinity", lambda _: set(range(16)))
    assert threads_of(Settings(timing=False), 4)["OMP_NUM_THREADS"] == "4"
    assert threads_of(Settings(timing=False), 40)["OMP_NUM_THREADS"] == "1"


def test_who_is_timed_keeps_the_threads_of_a_quiet_machine(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OMP_NUM_THREADS", raising=False)
    assert "OMP_NUM_THREADS" not in threads_of(Settings(timing=True), 4)
