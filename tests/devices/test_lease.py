"""Leases: one holder at a time, over threads and processes, and nothing left locked."""

from __future__ import annotations

import multiprocessing
import os
import signal
from multiprocessing.connection import Connection
from pathlib import Path

import pytest

from assay.devices.lease import device_key, lease, runtime_folder
from assay.errors import HostError
from sample_records import DEVICE

SPAWN = multiprocessing.get_context("spawn")


def hold(connection: Connection, key: str) -> None:
    """In another process: take the lease, say so, and keep it until told."""
    with lease(key, wait_s=5.0):
        connection.send(os.getpid())
        connection.recv()
    connection.send("released")


def other_holder(key: str) -> tuple[multiprocessing.process.BaseProcess, Connection, int]:
    ours, theirs = SPAWN.Pipe()
    process = SPAWN.Process(target=hold, args=(theirs, key))
    process.start()
    return process, ours, ours.recv()


def test_a_second_process_waits_and_is_told_who_holds() -> None:
    process, connection, pid = other_holder("GPU-1")
    told: list[int | None] = []

    def waiting(holder: int | None) -> None:
        told.append(holder)
        connection.send("let go")

    with lease("GPU-1", wait_s=10.0, waiting=waiting):
        assert told[0] == pid
        assert connection.recv() == "released"
    process.join()


def test_a_device_that_stays_taken_is_our_failure_with_its_holder() -> None:
    process, connection, pid = other_holder("GPU-1")
    taken = f"process {pid} still holds the device GPU-1"
    with pytest.raises(HostError, match=taken), lease("GPU-1", wait_s=0.1):
        raise AssertionError("the lease is taken")
    with lease("GPU-2", wait_s=0.0):
        connection.send("let go")
    process.join()


def test_the_lease_of_a_killed_process_is_free() -> None:
    process, _, pid = other_holder("GPU-1")
    os.kill(pid, signal.SIGKILL)
    process.join()
    with lease("GPU-1", wait_s=5.0):
        pass


def test_a_lease_is_given_back_after_a_failure() -> None:
    with pytest.raises(ZeroDivisionError), lease("cpu", wait_s=0.0):
        raise ZeroDivisionError
    ours = str(os.getpid())
    with (
        lease("cpu", wait_s=0.0),
        pytest.raises(HostError, match=ours),
        lease("cpu", wait_s=0.0),
    ):
        raise AssertionError("the lease is taken")


def test_the_folder_is_the_users_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert runtime_folder() == tmp_path / "runtime" / "assay"
    assert runtime_folder().stat().st_mode & 0o077 == 0
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "bad").mkdir()
    (tmp_path / "bad" / "assay").symlink_to(tmp_path / "elsewhere")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "bad"))
    with pytest.raises(HostError, match="not a folder of this user"):
        runtime_folder()
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path / "not there"))
    assert runtime_folder() == Path(f"/tmp/assay-{os.getuid()}")


def test_a_key_is_one_file_name(tmp_path: Path) -> None:
    with lease("../a b", wait_s=0.0):
        (file,) = (tmp_path / "runtime" / "assay").iterdir()
        assert file.name == ".._a_b.lease" and file.read_text() == str(os.getpid())
    assert file.read_text() == ""


def test_the_key_is_the_uuid_or_the_kind() -> None:
    assert device_key(DEVICE) == "cpu"
    assert device_key(DEVICE.model_copy(update={"uuid": "GPU-1"})) == "GPU-1"
