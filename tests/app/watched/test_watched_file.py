"""A watched file: a save is a change of content, and interrupts what waits."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from assay.app.watched.watched_file import FileSaved, WatchedFile


def test_a_save_is_a_change_of_content(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    file = WatchedFile(path)
    assert file.content() == ""
    path.write_text("a = 1\n")
    first = file.content()
    os.utime(path, ns=(1, 1))
    assert file.content() == first != ""
    path.write_text("a = 2\n")
    assert file.content() != first
    path.unlink()
    assert file.content() == ""


def test_a_folder_changes_with_any_of_its_files(tmp_path: Path) -> None:
    (tmp_path / "sub").mkdir()
    part = tmp_path / "sub" / "part.py"
    file = WatchedFile(tmp_path)
    part.write_text("a = 1\n")
    first = file.content()
    (tmp_path / "__pycache__").mkdir()
    (tmp_path / "__pycache__" / "part.pyc").write_bytes(b"1")
    assert file.content() == first
    part.write_text("a = 22\n")
    assert file.content() != first


def test_what_waits_is_interrupted_once_and_nothing_is_left_behind(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    path.write_text("a = 1\n")
    file = WatchedFile(path, poll_s=0.01)
    before = signal.getsignal(signal.SIGALRM)
    content = file.content()
    threading.Timer(0.05, lambda: path.write_text("a = 2\n")).start()
    with pytest.raises(FileSaved), file.interrupted_by_save(content):
        time.sleep(120.0)
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_it_waits_for_another_content(tmp_path: Path) -> None:
    path = tmp_path / "kernel.py"
    file = WatchedFile(path, poll_s=0.01)
    threading.Timer(0.05, lambda: path.write_text("a = 2\n")).start()
    file.wait("")
    assert file.content() != ""
