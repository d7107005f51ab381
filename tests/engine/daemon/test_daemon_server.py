"""The daemon itself: one a user, private, refused to others, gone when idle."""

from __future__ import annotations

import os
import socket
import stat
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.data.record import Record
from assay.engine.daemon.background import start_in_background
from assay.engine.daemon.daemon_client import ask
from assay.engine.daemon.daemon_server import Daemon, check_reach
from assay.engine.daemon.greetings import Greeting, Refused, receive_reply
from assay.engine.daemon.peer_credentials import PeerCredentials
from assay.engine.daemon.session_identity import SessionIdentity
from assay.engine.daemon.socket_folder import AlreadyRunning, SocketFolder
from assay.errors import HostError
from assay.judge_process.messages import send
from support.walls import ROADS, Room, alive, forced, wait_until

Start = Callable[..., "subprocess.Popen[str]"]


def test_it_ends_when_nobody_comes_and_leaves_no_socket(start: Start, folder: SocketFolder) -> None:
    daemon = start(idle_s=0.3)
    assert daemon.wait(20) == 0
    assert {path.name for path in folder.path.iterdir()} == {"lock"}


def test_one_in_the_background_outlives_its_starter_and_there_is_but_one(
    folder: SocketFolder,
) -> None:
    start_in_background(folder, 30.0)
    try:
        with pytest.raises(AlreadyRunning):
            start_in_background(folder, 30.0)
        with pytest.raises(AlreadyRunning):
            Daemon(folder, 1.0).run()
        status = ask("status")
        assert status is not None and (status.workers, status.busy, status.idle_s) == (1, 0, 30.0)
        modes = {
            p.name: stat.S_IMODE(p.stat().st_mode) for p in (folder.path, *folder.path.iterdir())
        }
        assert modes.pop("daemon") == 0o700
        assert modes == dict.fromkeys(("lock", "log", "socket", "token"), 0o600)
    finally:
        stopped = ask("stop")
    assert stopped is not None and wait_until(lambda: not alive(stopped.pid))
    assert ask("status") is None and ask("stop") is None


def test_a_process_of_another_user_is_turned_away(
    folder: SocketFolder, monkeypatch: pytest.MonkeyPatch, capfd: pytest.CaptureFixture[str]
) -> None:
    other = PeerCredentials(4711, os.geteuid() + 1, 0)
    monkeypatch.setattr(PeerCredentials, "of", classmethod(lambda *_: other))
    ours, theirs = socket.socketpair()
    with ours, theirs:
        Daemon(folder, 1.0)._greet(theirs)  # it has no token to compare: nothing may be read
        theirs.close()
        assert ours.recv(1) == b""
    assert f"process 4711 of user {other.uid} was turned away" in capfd.readouterr().err


def test_the_kernel_says_who_is_at_the_other_end() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        found = PeerCredentials.of(ours)
    assert (found.pid, found.uid, found.same_user) == (os.getpid(), os.geteuid(), True)


def test_a_greeting_of_another_form_is_another_version(folder: SocketFolder) -> None:
    class Other(Record):
        hello: str = "there"

    ours, theirs = socket.socketpair()
    with ours, theirs:
        send(ours, Other())
        Daemon(folder, 1.0)._greet(theirs)
        reply = receive_reply(ours)
    assert isinstance(reply, Refused) and "another version" in reply.reason


def test_a_greeting_of_any_length_is_not_waited_for(folder: SocketFolder) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        ours.sendall((1 << 60).to_bytes(8, "little"))
        with pytest.raises(EOFError):
            Daemon(folder, 1.0)._greet(theirs)


def test_a_folder_that_others_may_enter_is_refused(folder: SocketFolder) -> None:
    folder.make()
    folder.path.chmod(0o755)
    with pytest.raises(HostError, match="this user alone"):
        Daemon(folder, 1.0).run()
    assert ask("status") is None


def test_no_daemon_where_candidates_are_not_isolated(folder: SocketFolder) -> None:
    with forced("none"), pytest.raises(HostError, match="neither namespaces nor Landlock"):
        check_reach(folder)
    check_reach(folder)


def test_no_daemon_in_a_folder_that_candidates_see() -> None:
    with pytest.raises(HostError, match="candidates are shown"):
        check_reach(SocketFolder(Path("/usr/share/assay/daemon")))


def test_a_candidate_reaches_neither_socket_nor_token(
    room: Room, start: Start, folder: SocketFolder
) -> None:
    start()
    code = f"""
import socket
def tried(do):
    try:
        do()
        return "done"
    except OSError as error:
        return errno.errorcode[error.errno]
answer = [tried(lambda: open({str(folder.path / "token")!r}).read()),
          tried(lambda: os.listdir({str(folder.path)!r}))]
"""
    with room.enter() as inside:
        found = inside.tell(code)
    assert set(found) <= {"ENOENT", "EACCES"}
    assert room.road != ROADS[0] or "namespaces" not in ROADS or found == ["ENOENT"] * 2


def test_what_makes_two_processes_the_same() -> None:
    ours = SessionIdentity.of_this_process()
    assert ours.difference(SessionIdentity.of_this_process()) == ""
    for changes, words in (
        ({"assay": "9"}, "not 9"),
        ({"package": "/x"}, "imports Assay from"),
        ({"python": "x"}, "another Python"),
        ({"sources": "x"}, "have changed"),
        ({"processors": ()}, "other processors"),
        ({"limits": ()}, "resource limits"),
        ({"namespaces": ()}, "container"),
        ({"environment": ours.environment | dict.fromkeys("abcd", "0")}, "a, b, c and 1 more"),
    ):
        assert words in ours.difference(ours.model_copy(update=changes))


def test_terminals_make_no_difference_and_values_are_not_told(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours = SessionIdentity.of_this_process()
    for name in ("TERM", "SSH_TTY", "SHLVL", "PWD"):
        monkeypatch.setenv(name, "another")
    assert ours.difference(SessionIdentity.of_this_process()) == ""
    monkeypatch.setenv("API_KEY", "very-secret")
    greeting = Greeting(token="", wish="status", identity=SessionIdentity.of_this_process())
    assert (
        "very-secret" not in greeting.model_dump_json() and "API_KEY" in greeting.model_dump_json()
    )
