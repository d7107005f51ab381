"""Two limits: one for the candidate, one for its compiler."""

from __future__ import annotations

import time

from assay.worker.host.deadline import Deadline


def test_it_passes() -> None:
    assert not Deadline.after(60.0).passed()
    assert Deadline.after(-0.001).passed()


def test_a_compilers_time_is_given_back() -> None:
    """After its compiler a candidate has as much time left as it had before."""
    deadline = Deadline.after(0.05, compiling_s=60.0)
    time.sleep(0.1)
    assert not deadline.passed(compiling=True)
    assert not deadline.passed()
    time.sleep(0.1)
    assert deadline.passed()


def test_a_compiler_has_a_limit_too() -> None:
    deadline = Deadline.after(0.01, compiling_s=0.03)
    time.sleep(0.05)
    assert deadline.passed(compiling=True)
