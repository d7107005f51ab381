"""The allow-list, the neutral environment, and the road a user may force."""

from __future__ import annotations

import array
import os
import pickle
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from types import SimpleNamespace

import pytest

import assay
from assay.devices.cpu_device import CpuBackend
from assay.errors import UsageError
from assay.languages.torch_language import TorchLanguage
from assay.sandbox.host import zygote_handle
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall, hidden_paths, neutral_environment, readable_paths
from assay.sandbox.protocol import wire
from plugins.installed import install
from support.walls import ROADS, Room, forced


def test_a_warm_parent_starts_before_its_judge_has_imported_torch() -> None:
    """Both take seconds for that: one after the other they take twice as long."""
    asked = "import sys, assay.sandbox.host.wall; sys.exit('torch' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", asked], check=False).returncode == 0


@pytest.mark.parametrize("accelerated", [False, True])
def test_judges_that_take_turns_on_a_device_are_no_company(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accelerated: bool
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    described = SimpleNamespace(uuid="GPU-wall", kind="cuda")
    device = SimpleNamespace(accelerated=accelerated, processes=lambda: None)
    device.describe = lambda: described
    wall = object.__new__(Wall)
    wall.device, wall._presence = device, None  # type: ignore[assignment]
    assert (wall.judges_lock is not None) is accelerated
    assert wall.company.others() == ()
    if wall.judges_lock is not None:
        assert wall.company.takes_turns == wall.judges_lock.is_judge
        assert wall._presence is not None
        wall._presence.close()


def test_a_device_without_a_lock_is_judged_on_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "assay").write_text("no folder")
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    wall = object.__new__(Wall)
    described = SimpleNamespace(uuid="GPU-wall", kind="cuda")
    wall.device = SimpleNamespace(  # type: ignore[assignment]
        accelerated=True, describe=lambda: described
    )
    assert wall.judges_lock is None


def test_a_road_can_be_forced(best_room: Room) -> None:
    for road in ("landlock", "none"):
        with forced(road):
            assert best_room.wall.isolation == road


def test_an_unknown_road_is_the_users_mistake(best_room: Room) -> None:
    with forced("moat"), pytest.raises(UsageError, match=r"moat.*namespaces, landlock, none"):
        _ = best_room.wall.isolation


def test_the_machine_decides_otherwise(best_room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ASSAY_ISOLATION", raising=False)
    assert best_room.wall.isolation == ROADS[0]


def test_the_allow_list_holds_the_interpreter_and_no_home() -> None:
    shown = readable_paths()
    assert any(os.path.realpath(sys.prefix).startswith(path) for path in shown)
    assert not {"/", "/home", "/root", "/etc", "/tmp", "/var", "/proc", str(Path.home())} & set(
        shown
    )
    package = str(Path(assay.__file__).resolve().parent.parent)
    assert "site-packages" in package or package not in shown


def test_what_an_outside_language_needs_is_shown_and_a_readers_package_is_not(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    reader = {"outside_json": "outside_reader:OutsideReader"}
    install(tmp_path, {"assay.readers": reader})
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "outside_reader", raising=False)
    folders = ("/opt/outside/bin", "/usr/outside/bin")
    monkeypatch.setattr(TorchLanguage, "tool_folders", folders)
    assert str(tmp_path / "outside_reader.py") in hidden_paths()
    assert folders[0] in readable_paths() and folders[1] not in readable_paths()  # below /usr
    assert ":".join(folders) in neutral_environment("/scratch", CpuBackend())["PATH"]


def test_the_environment_names_neither_user_nor_judge() -> None:
    found = neutral_environment("/scratch", CpuBackend())
    caches = {key: value for key, value in found.items() if key.endswith(("_DIR", "_HOME"))}
    assert caches and all(value.startswith("/scratch/") for value in caches.values())
    assert not any("assay" in f"{k}{v}".lower() for k, v in found.items() if k != "PATH")
    assert found["USER"] != os.environ.get("USER", "") or found["USER"] == "user"


def test_the_host_knows_the_warm_parents_torch(best_room: Room) -> None:
    import torch

    assert best_room.wall.torch_version == torch.__version__


def test_a_request_may_come_in_halves(best_room: Room, monkeypatch: pytest.MonkeyPatch) -> None:
    """The judge may lose its processor between the two; the warm parent must not lose count."""

    def slowly(sock: socket.socket, message: object, descriptors: Sequence[int] = ()) -> None:
        data = pickle.dumps(message)
        rights = (socket.SOL_SOCKET, socket.SCM_RIGHTS, array.array("i", descriptors))
        sock.sendmsg([struct.pack("<Q", len(data))], [rights])
        time.sleep(0.5)
        sock.sendall(data)

    monkeypatch.setattr(zygote_handle, "wire", SimpleNamespace(send=slowly, receive=wire.receive))
    for _ in range(2):
        Session(best_room.wall).close()
