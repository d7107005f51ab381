"""An owner is gone only where that can be seen."""

from __future__ import annotations

import os
import subprocess
import sys

from assay.engine.claim_owner import is_gone, this_owner


def test_this_process_is_here_and_owns_under_two_names() -> None:
    first, second = this_owner(), this_owner()
    assert first != second
    assert not is_gone(first) and not is_gone(second)


def test_a_process_that_ended_is_gone_even_before_it_is_waited_for() -> None:
    code = "from assay.engine.claim_owner import this_owner; print(this_owner())"
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    owner = child.stdout.read().strip()
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    assert is_gone(owner)
    child.wait()
    assert is_gone(owner)


def test_a_number_that_was_given_out_again_is_another_process() -> None:
    place, pid, birth, word = this_owner().split(":")
    assert is_gone(f"{place}:{pid}:{int(birth) - 1}:{word}")


def test_of_another_machine_nobody_can_tell() -> None:
    _, pid, _, word = this_owner().split(":")
    assert not is_gone(f"elsewhere.1:{pid}:1:{word}")
    assert not is_gone("not of this form")
