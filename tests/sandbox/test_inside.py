"""What a candidate finds inside: the allow-list, itself, and nothing of the judge."""

from __future__ import annotations

import errno
import os
import sys
from pathlib import Path

import pytest

import assay
from assay.devices.cpu_device import CpuBackend
from assay.sandbox.host.wall import neutral_environment, readable_paths
from support.walls import ROADS, ROOMS, Room

REPOSITORY = Path(__file__).resolve().parents[2]
NAMESPACED = [road for road in ROADS if road == "namespaces"]

ATTEMPT = """
def attempt(function, *arguments):
    try:
        function(*arguments)
    except OSError as error:
        return error.errno
    return 0
def put(path):
    with open(path, "w") as file:
        file.write("x")
def get(path):
    with open(path, "rb") as file:
        return file.read(1)
"""
HIDDEN = (errno.ENOENT, errno.EACCES)


def test_the_environment_is_neutral(room: Room) -> None:
    os.environ["ASSAY_TEST_SECRET"] = "SECRET"
    try:
        with room.enter() as inside:
            found = inside.tell("answer = [dict(os.environ), sys.argv]")
            expected = neutral_environment(inside.scratch_path, CpuBackend())
    finally:
        del os.environ["ASSAY_TEST_SECRET"]
    drawn = {name: found[0].pop(name) for name in ("USER", "LOGNAME", "LANG")}
    for name in ("USER", "LANG"):
        expected.pop(name)
    assert found == [expected, ["python"]]
    assert drawn["USER"] == drawn["LOGNAME"] and drawn["LANG"].endswith("UTF-8")


def test_descriptors_are_its_own(room: Room) -> None:
    with room.enter() as inside:
        links = inside.tell(
            """
            def look(fd):
                try:
                    return os.readlink(f"/proc/self/fd/{fd}")
                except OSError:
                    return None  # the one that lists the folder
            answer = {fd: look(fd) for fd in os.listdir("/proc/self/fd")}
            """
        )
    assert links.pop("0") == "/dev/null"
    assert links.pop("3").startswith("socket:")
    rest = {link.removesuffix(" (deleted)") for link in links.values() if link}
    assert rest == {"/memfd:output", "/memfd:arena"}


def test_there_is_no_network(room: Room) -> None:
    with room.enter() as inside:
        found = inside.tell(
            ATTEMPT
            + """
import socket
families = (socket.AF_INET, socket.AF_INET6, socket.AF_NETLINK, socket.AF_PACKET)
answer = [attempt(socket.socket, family) for family in families]
"""
        )
    assert found == [errno.EACCES] * 4


def test_the_judge_and_the_repository_cannot_be_read(room: Room) -> None:
    package = Path(assay.__file__).resolve().parent
    secrets = [
        package / "judge" / "decide.py",
        package / "worker" / "host" / "script.py",
        REPOSITORY / "pyproject.toml",
        REPOSITORY / "tests" / "worker" / "test_inside.py",
        Path("/etc/passwd"),
        Path("/etc/hostname"),
        Path("/root/.bashrc"),
        Path.home() / ".cache",
    ]
    paths = [str(path) for path in secrets]
    with room.enter() as inside:
        found = inside.tell(
            ATTEMPT
            + f"""
def look(path):
    return attempt(os.listdir, path) if os.path.isdir(path) else attempt(get, path)
answer = {{path: look(path) for path in {paths}}}
"""
        )
    assert [path for path, code in found.items() if code not in HIDDEN] == []


def test_a_folder_on_the_callers_import_path_is_not_shown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The folder of the script that calls Assay may well hold the task and the answers."""
    (tmp_path / "task.py").write_text("class Model: ...")
    monkeypatch.setattr(sys, "path", [str(tmp_path), *sys.path])
    shown = [Path(path) for path in readable_paths()]
    assert not any(tmp_path.resolve().is_relative_to(path) for path in shown)


def test_interpreter_libraries_and_compilers_are_there(room: Room) -> None:
    with room.enter() as inside:
        found = inside.tell(
            """
            import shutil, subprocess
            import numpy, torch
            compiler = shutil.which("c++") or shutil.which("cc")
            text = subprocess.run([compiler, "--version"], capture_output=True).stdout
            python = [sys.executable, "-c", "import numpy; print(6 * 7)"]
            answer = [len(text) > 0, subprocess.run(python, capture_output=True, text=True).stdout]
            """
        )
    assert found == [True, "42\n"]


def test_it_writes_in_its_scratch_and_nowhere_else(room: Room) -> None:
    places = ["/usr/new", "/new", "/etc/new", f"{sys.prefix}/new", "/var/tmp/new", "/sys/new"]
    with room.enter() as inside:
        found = inside.tell(
            ATTEMPT
            + f"""
os.makedirs(os.environ["HOME"], exist_ok=True)
answer = [
    [attempt(put, path) for path in {places}],
    [attempt(put, os.environ[name] + "/new") for name in ("TMPDIR", "HOME")],
    os.getcwd() == os.environ["TMPDIR"],
]
"""
        )
    refused = (errno.EROFS, errno.EACCES, errno.ENOENT, errno.EPERM)
    assert [code for code in found[0] if code not in refused] == []
    assert found[1:] == [[0, 0], True]


def test_scratch_is_empty_for_the_next_one(room: Room) -> None:
    with room.enter() as inside:
        inside.tell("open('left', 'w').write('message'); answer = 0")
    with room.enter() as inside:
        assert inside.tell("answer = sorted(os.listdir('.'))") == ["kernel"]


def test_scratch_is_capped(room: Room) -> None:
    with room.enter() as inside:
        written = inside.tell(
            """
            import signal
            signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
            answer = 0
            try:
                with open("large", "wb", buffering=0) as file:
                    for _ in range(64):
                        answer += file.write(bytes(1 << 20))
            except OSError:
                pass
            """
        )
    assert written <= ROOMS.scratch_bytes


def test_other_processes_are_out_of_reach(room: Room) -> None:
    with room.enter() as inside:
        found = inside.tell(
            ATTEMPT
            + f"""
import ctypes
libc = ctypes.CDLL(None, use_errno=True)
keeper = os.getppid()
def trace(pid):
    return ctypes.get_errno() if libc.ptrace(16, pid, 0, 0) == -1 else 0
names = ("environ", "mem", "maps", "fd", "root", "cwd")
def follow(path):
    return [os.readlink(f"{{path}}/{{fd}}") for fd in os.listdir(path)]
def peep(pid, name):
    ways = {{"fd": follow, "root": os.listdir, "cwd": os.listdir}}
    return attempt(ways.get(name, get), f"/proc/{{pid}}/{{name}}")
judge = {os.getpid()}
answer = {{
    "keeper": [peep(keeper, name) for name in names],
    "first": [peep(1, name) for name in names],
    "judge": [peep(judge, name) for name in names],
    "trace": [trace(keeper), trace(judge)],
    "kill": attempt(os.kill, judge, 0),
}}
"""
        )
    refused = (errno.EACCES, errno.EPERM, errno.ENOENT, errno.ESRCH)
    for who in ("keeper", "first", "judge"):
        assert [code for code in found[who] if code not in refused] == [], who
    assert found["trace"] == [errno.EPERM, errno.EPERM]
    assert found["kill"] in (errno.EPERM, errno.ESRCH)


def test_killing_the_keeper_does_nothing(room: Room) -> None:
    with room.enter() as inside:
        inside.tell(ATTEMPT + "answer = attempt(os.kill, os.getppid(), 9)")
        assert inside.tell("answer = 'still here'") == "still here"


def test_rights_cannot_be_won_back(room: Room) -> None:
    with room.enter() as inside:
        found = inside.tell(
            """
            import ctypes
            libc = ctypes.CDLL(None, use_errno=True)
            def code(result):
                return ctypes.get_errno() if result == -1 else 0
            lines = open("/proc/self/status").read().splitlines()
            pairs = [line.split(":\\t") for line in lines]
            held = {pair[0]: pair[1] for pair in pairs if len(pair) == 2}
            answer = {
                "unshare": code(libc.unshare(0x10000000)),
                "mount": code(libc.mount(b"none", b"/tmp", b"tmpfs", 0, None)),
                "chroot": code(libc.chroot(b"/tmp")),
                "capabilities": int(held["CapEff"], 16) | int(held["CapPrm"], 16),
                "no new privileges": held["NoNewPrivs"],
                "seccomp": held["Seccomp"],
            }
            """
        )
    assert found == {
        "unshare": errno.EPERM,
        "mount": errno.EPERM,
        "chroot": errno.EPERM,
        "capabilities": 0,
        "no new privileges": "1",
        "seccomp": "2",
    }


def test_limits_are_set(room: Room) -> None:
    with room.enter() as inside:
        found = inside.tell(
            """
            import resource
            kinds = (resource.RLIMIT_CORE, resource.RLIMIT_FSIZE, resource.RLIMIT_AS)
            answer = [resource.getrlimit(kind) for kind in kinds]
            """
        )
    assert found[0] == [0, 0]
    assert found[1] == [ROOMS.scratch_bytes] * 2
    assert ROOMS.memory_bytes < found[2][0] < 64 << 30


@pytest.mark.parametrize("road", NAMESPACED)
def test_the_root_is_the_allow_list_and_no_more(road: str, rooms: dict[str, Room]) -> None:
    with rooms[road].enter() as inside:
        found = inside.tell(
            """
            answer = {path: sorted(os.listdir(path)) for path in ("/", "/dev", "/etc")}
            answer["processes"] = sorted(p for p in os.listdir("/proc") if p.isdigit())
            answer["commands"] = [
                open(f"/proc/{p}/cmdline").read() for p in answer["processes"] if p != "1"
            ]
            """
        )
    tops = {path.split("/")[1] for path in readable_paths()} | {
        "proc",
        "dev",
        "sys",
        "tmp",
        "scratch",
    }
    assert set(found["/"]) <= tops
    assert set(found["/etc"]) <= {Path(p).name for p in readable_paths() if p.startswith("/etc/")}
    devices = "null zero full random urandom fd stdin stdout stderr shm"
    assert set(found["/dev"]) == set(devices.split())
    assert found["processes"] == ["1", "2"]
    for text in (str(REPOSITORY / "tests"), "pytest"):
        assert text not in found["commands"][0]


def test_the_layers_are_named(room: Room) -> None:
    with room.enter() as inside:
        layers = inside.session.layers
    assert {"limits", "no capabilities", "seccomp"} <= set(layers)
    assert any("freezer" in layer for layer in layers)
    name = {"namespaces": "mount namespace", "landlock": "landlock"}[room.road]
    assert name in layers


@pytest.mark.parametrize("road", [r for r in ROADS if r == "landlock"])
def test_two_that_live_at_once_do_not_share_their_scratch(
    road: str, rooms: dict[str, Room]
) -> None:
    with rooms[road].enter() as first, rooms[road].enter() as second:
        first.tell("open('private', 'w').write('source'); answer = 0")
        assert second.tell("answer = os.path.exists('private')") is False
