"""Signals unwind the process, whatever is in their way, and what cleans up is left in peace."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

UNWINDS = """
    try:
        ready(); time.sleep(300)
    finally:
        print('cleaned', flush=True)
"""
LOSES_THE_FIRST = """
    try:
        ready(); time.sleep(300)
    except:
        pass
    try:
        time.sleep(300)
    finally:
        print('cleaned', flush=True)
"""
CLEANS_UP_FOR_LONG = """
    try:
        ready(); time.sleep(300)
    finally:
        until = time.monotonic() + 1.7
        while time.monotonic() < until:
            time.sleep(0.1)
        try:
            print('cleaned', flush=True)
        finally:
            time.sleep(0.7)
"""


def ended_by(number: int, body: str) -> tuple[str, str, int]:
    """What a command with this body prints, and its exit code, when it is signalled."""
    code = (
        "import sys, time\n"
        "from assay.app.main import ended\n"
        "from assay.termination import termination\n"
        "ready = lambda: print('ready', flush=True)\n"
        f"def work():{body}\n"
        "with termination():\n"
        "    code = ended(work)\n"
        "time.sleep(0.7)\n"  # nothing is raised any more
        "sys.exit(code)\n"
    )
    child = subprocess.Popen(
        [sys.executable, "-c", code],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        env=os.environ | {"PYTHONUNBUFFERED": "1"},
    )
    assert child.stdout is not None
    assert child.stdout.readline() == "ready\n"
    child.send_signal(number)
    out, err = child.communicate(timeout=120)
    return out, err, child.returncode


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_the_process_cleans_up_and_ends(number: int) -> None:
    out, err, code = ended_by(number, UNWINDS)
    assert (out, code) == ("cleaned\n", 128 + number)
    assert err.startswith("assay: ") and err.count("\n") == 1


@pytest.mark.parametrize("body", [LOSES_THE_FIRST, CLEANS_UP_FOR_LONG])
def test_it_ends_though_the_first_is_lost_and_cleans_up_in_peace(body: str) -> None:
    out, err, code = ended_by(signal.SIGTERM, body)
    assert (out, err, code) == ("cleaned\n", "assay: terminated\n", 128 + signal.SIGTERM)
