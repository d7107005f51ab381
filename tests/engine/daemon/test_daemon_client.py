"""Clients of a real daemon: alone, two at once, cancelled, gone, and left by their daemon."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from assay.engine.daemon.daemon_client import NO_DAEMON, ask
from assay.engine.daemon.greetings import DaemonStatus
from assay.engine.daemon.peer_credentials import PeerCredentials
from assay.engine.daemon.socket_folder import SocketFolder
from assay.errors import HostError, TaskError
from scripted_pipeline import ScriptedPipeline
from support.daemon_clients import Client
from support.walls import alive, wait_until

Start = Callable[..., "subprocess.Popen[str]"]


def status() -> DaemonStatus:
    found = ask("status")
    assert found is not None
    return found


def busy() -> int:
    return status().busy


def hanging_client() -> subprocess.Popen[bytes]:
    code = "from support.daemon_clients import Client; next(Client().ask('hang'))"
    process = subprocess.Popen([sys.executable, "-c", code], stderr=subprocess.DEVNULL)
    assert wait_until(lambda: os.path.exists("hangs")) and busy() == 1
    return process


@pytest.mark.usefixtures("running")
def test_judgements_and_progress_come_in_order_from_one_warm_worker(client: Client) -> None:
    assert client.statuses("accepted", "incorrect") == ["accepted", "incorrect"]
    first = client.worker
    assert client.statuses("dishonest") == ["dishonest"]
    assert client.worker == first and client.notices == []
    assert [(s.index, s.total, s.fraction) for s in client.steps[:2]] == [(0, 2, 0.5), (1, 2, 0.5)]


@pytest.mark.usefixtures("running")
def test_the_next_candidate_begins_when_it_is_asked_for(client: Client) -> None:
    stream = client.ask("accepted", "hang")
    assert next(stream).verdict.status.value == "accepted"
    assert len(client.steps) == 1
    stream.close()
    assert busy() == 0


@pytest.mark.usefixtures("running")
def test_two_clients_at_once_have_a_worker_each(client: Client, tmp_path: Path) -> None:
    found: list[str] = []
    other = Client()
    thread = threading.Thread(target=lambda: found.extend(other.statuses("wait go")))
    thread.start()
    assert wait_until(lambda: other.steps)
    assert client.statuses("accepted") == ["accepted"] and found == []
    assert client.worker != other.worker and busy() == 1
    (tmp_path / "go").touch()
    thread.join(20)
    assert found == ["accepted"] and client.notices == other.notices == []


@pytest.mark.usefixtures("running")
def test_who_finds_every_worker_busy_goes_on_alone(
    client: Client, pipeline: ScriptedPipeline, tmp_path: Path
) -> None:
    others = [Client() for _ in range(2)]
    threads = [threading.Thread(target=one.statuses, args=("wait go",)) for one in others]
    for thread in threads:
        thread.start()
    assert wait_until(lambda: all(one.steps for one in others))
    assert client.statuses("incorrect") == ["incorrect"] and len(pipeline.calls) == 1
    assert client.notices == ["the daemon is not used: it is busy with 2 evaluations"]
    (tmp_path / "go").touch()
    for thread in threads:
        thread.join(20)


@pytest.mark.usefixtures("running")
def test_cancelling_ends_that_evaluation_only(client: Client, tmp_path: Path) -> None:
    client.statuses("accepted")
    worker = client.worker
    other = hanging_client()
    other.send_signal(signal.SIGINT)
    assert other.wait(20) != 0
    assert busy() == 0  # when the client is back nothing goes on
    assert (tmp_path / "closed").read_text().split() == [worker.removeprefix("worker ")] * 2
    assert client.statuses("accepted") == ["accepted"] and client.worker == worker


@pytest.mark.usefixtures("running")
def test_a_client_that_is_killed_frees_its_worker(client: Client) -> None:
    process = hanging_client()
    process.kill()
    process.wait()
    assert wait_until(lambda: busy() == 0)
    assert client.statuses("accepted") == ["accepted"]


def test_a_daemon_that_is_killed_is_gone_on_without(
    start: Start, client: Client, pipeline: ScriptedPipeline, folder: SocketFolder
) -> None:
    daemon = start()
    stream = client.ask("accepted", "hang", "incorrect")
    assert next(stream).verdict.status.value == "accepted"
    worker = int(client.worker.removeprefix("worker "))
    daemon.kill()
    daemon.wait()
    pipeline.error = None
    with pytest.raises(ValueError, match="hang"):  # the scripted pipeline knows no such status
        next(stream)
    (lost,) = client.notices
    assert lost.startswith("the daemon ended in the middle")
    assert [one.name for one in pipeline.calls[0][1]] == ["hang", "incorrect"]
    assert (client.steps[-1].index, client.steps[-1].total) == (1, 3)
    assert wait_until(lambda: not alive(worker))


def test_a_stale_socket_is_no_daemon_and_no_obstacle(
    start: Start, client: Client, pipeline: ScriptedPipeline, folder: SocketFolder
) -> None:
    daemon = start()
    daemon.send_signal(signal.SIGKILL)
    daemon.wait()
    assert (folder.path / "socket").exists() and ask("status") is None
    assert client.statuses("accepted") == ["accepted"]
    assert len(pipeline.calls) == 1 and client.notices == []
    start()
    assert client.statuses("accepted") == ["accepted"]
    assert len(pipeline.calls) == 1 and status().served == 1


@pytest.mark.usefixtures("running")
def test_a_worker_that_dies_costs_nothing_but_its_warmth(
    client: Client, pipeline: ScriptedPipeline
) -> None:
    with pytest.raises(ValueError, match="exit"):  # asked again of the scripted pipeline
        client.statuses("exit")
    assert client.notices[0].startswith("the daemon ended in the middle")
    assert client.statuses("accepted") == ["accepted"] and len(pipeline.calls) == 1


@pytest.mark.usefixtures("running")
def test_failures_reach_the_client_as_what_they_are(client: Client) -> None:
    with pytest.raises(TaskError, match="the task is at fault"):
        client.statuses("task_error")
    with pytest.raises(HostError, match="ValueError: a fault of ours"):
        client.statuses("fault")
    assert client.statuses("accepted") == ["accepted"]


@pytest.mark.usefixtures("running")
def test_a_worker_works_where_the_client_is(
    client: Client, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = tmp_path / "elsewhere"
    place.mkdir()
    monkeypatch.chdir(place)
    monkeypatch.syspath_prepend("relative")
    assert client.statuses(f"path {place / 'relative'}") == ["accepted"]
    assert (place / "closed").exists()


@pytest.mark.parametrize("name", ["CUDA_VISIBLE_DEVICES", "OMP_NUM_THREADS", "ANYTHING"])
@pytest.mark.usefixtures("running")
def test_another_environment_does_not_use_it(
    client: Client, pipeline: ScriptedPipeline, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setenv(name, "7")
    assert client.statuses("accepted") == ["accepted"] and len(pipeline.calls) == 1
    assert client.notices == [f"the daemon is not used: its environment differs in {name}"]
    assert name in status().differs


@pytest.mark.usefixtures("running")
def test_another_version_does_not_use_it(
    client: Client, pipeline: ScriptedPipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("assay.__version__", "9.9")
    assert client.statuses("accepted") == ["accepted"] and len(pipeline.calls) == 1
    assert client.notices == ["the daemon is not used: it is Assay 0.1.0, not 9.9"]


@pytest.mark.usefixtures("running")
def test_who_does_not_want_it_does_not_use_it(
    client: Client, pipeline: ScriptedPipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = status().served
    client.statuses("accepted", wanted=False)
    monkeypatch.setenv(NO_DAEMON, "1")
    client.statuses("accepted")
    assert len(pipeline.calls) == 2 and client.notices == []
    monkeypatch.delenv(NO_DAEMON)
    assert status().served == before


@pytest.mark.usefixtures("running")
def test_a_daemon_of_another_user_is_none(
    client: Client, pipeline: ScriptedPipeline, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as faked:
        other = PeerCredentials(1, os.geteuid() + 1, 0)
        faked.setattr(PeerCredentials, "of", classmethod(lambda *_: other))
        assert client.statuses("accepted") == ["accepted"] and ask("status") is None
    assert len(pipeline.calls) == 1


def test_who_does_not_know_the_token_is_told_nothing(
    client: Client, pipeline: ScriptedPipeline, running: SocketFolder
) -> None:
    token = running.token()
    running.new_token()
    assert client.statuses("accepted") == ["accepted"] and len(pipeline.calls) == 1
    assert "does not know this user's token" in client.notices[0]
    (running.path / "token").write_text(token)
