"""Landlock in a process of its own: what is not listed cannot be read, written or signalled."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest

from assay.sandbox.layers import landlock
from support.confined import run_confined

OFFERED = [landlock.abi()] if landlock.abi() else []  # a kernel without it has nothing to test

ENTER = """
from assay.sandbox.layers import landlock, syscalls
readable, writable = sys.argv[1], sys.argv[2]
def attempt(function, *arguments):
    try:
        function(*arguments)
    except OSError as error:
        return error.errno
    return 0
def put(path):
    with open(path, "w") as file:
        file.write("x")
syscalls.prctl(syscalls.PR_SET_NO_NEW_PRIVS, 1)
scoped = landlock.enter([readable, "/nowhere/at/all"], [writable])
"""


@pytest.mark.parametrize("abi", OFFERED)
def test_files_outside_are_out_of_reach(abi: int, tmp_path: Path) -> None:
    for name in ("shown", "scratch", "hidden"):
        (tmp_path / name).mkdir()
        (tmp_path / name / "file").write_text("content")
    (tmp_path / "shown" / "link").symlink_to(tmp_path / "hidden" / "file")
    answer = run_confined(
        ENTER
        + """
hidden = sys.argv[3]
answer = {
    "read inside": attempt(open, f"{readable}/file"),
    "write inside": attempt(put, f"{readable}/file"),
    "write scratch": attempt(put, f"{writable}/new"),
    "read outside": attempt(open, f"{hidden}/file"),
    "list outside": attempt(os.listdir, hidden),
    "write outside": attempt(put, f"{hidden}/new"),
    "through a link": attempt(open, f"{readable}/link"),
    "password file": attempt(open, "/etc/passwd"),
}
""",
        str(tmp_path / "shown"),
        str(tmp_path / "scratch"),
        str(tmp_path / "hidden"),
    )
    inside = {"read inside": 0, "write inside": errno.EACCES, "write scratch": 0}
    outside = ("read outside", "list outside", "write outside", "through a link", "password file")
    assert answer == inside | dict.fromkeys(outside, errno.EACCES)
    assert not (tmp_path / "hidden" / "new").exists()


@pytest.mark.parametrize("abi", [abi for abi in OFFERED if abi >= 6])
def test_the_parent_cannot_be_signalled(abi: int, tmp_path: Path) -> None:
    answer = run_confined(
        ENTER
        + """
child = os.fork()
if child == 0:
    import time
    time.sleep(20)
    os._exit(0)
answer = [scoped, attempt(os.kill, os.getppid(), 0), attempt(os.kill, child, 9)]
os.waitpid(child, 0)
""",
        str(tmp_path),
        str(tmp_path),
    )
    assert answer == [True, errno.EPERM, 0]
