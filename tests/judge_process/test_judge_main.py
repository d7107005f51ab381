"""How a judge process ends."""

from __future__ import annotations

import signal
import sys

import pytest

from assay.errors import Terminated
from assay.judge_process import judge_main


def test_a_signal_that_comes_while_it_ends_changes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """It left a traceback on the caller's stderr."""

    def asked_to_end() -> None:
        raise Terminated(signal.SIGTERM)

    codes: list[int] = []
    monkeypatch.setattr(judge_main, "main", lambda _: 0)
    monkeypatch.setattr(sys.stdout, "flush", asked_to_end)
    monkeypatch.setattr(judge_main.os, "_exit", codes.append)
    judge_main.entry(["3", "4", "5", "6"])
    assert codes == [0]
