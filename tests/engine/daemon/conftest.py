"""A real daemon with scripted workers, in a folder of the test's own."""

from __future__ import annotations

import contextlib
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from assay.engine.daemon.daemon_client import NO_DAEMON, ask
from assay.engine.daemon.socket_folder import SocketFolder
from scripted_pipeline import ScriptedPipeline
from support.daemon_clients import Client

TESTS = Path(__file__).parents[2]
DAEMON = """
import sys
from pathlib import Path
from assay.engine.daemon.daemon_server import Daemon
from assay.engine.daemon.socket_folder import SocketFolder
daemon = Daemon(SocketFolder(Path(sys.argv[1])), float(sys.argv[2]), 2, "support.scripted_worker")
daemon.run(ready=lambda: print("ready", flush=True))
"""


Start = Callable[..., "subprocess.Popen[str]"]


def started(folder: SocketFolder, idle_s: float = 60.0) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", DAEMON, str(folder.path), str(idle_s)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None and process.stdout.readline() == "ready\n"
    return process


def ended(process: subprocess.Popen[str]) -> None:
    if process.poll() is None:
        ask("stop")
    process.wait(20)
    assert process.stdout is not None
    process.stdout.close()


@pytest.fixture(scope="module")
def _shared(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """The runtime folder of a daemon that several tests use one after the other."""
    runtime = tmp_path_factory.mktemp("runtime")
    with pytest.MonkeyPatch.context() as changes:
        _settle(changes, runtime)
        process = started(SocketFolder.of_user())
    yield runtime
    with pytest.MonkeyPatch.context() as changes:
        _settle(changes, runtime)
        ended(process)


@pytest.fixture
def running(_shared: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SocketFolder:
    """A daemon that runs already, and stays."""
    _settle(monkeypatch, _shared)
    monkeypatch.chdir(tmp_path)
    return SocketFolder.of_user()


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> SocketFolder:
    """Where no daemon runs yet."""
    _settle(monkeypatch, tmp_path)
    monkeypatch.chdir(tmp_path)
    return SocketFolder.of_user()


def _settle(changes: pytest.MonkeyPatch, runtime: Path) -> None:
    changes.setenv("XDG_RUNTIME_DIR", str(runtime))
    changes.setenv("PYTHONPATH", str(TESTS))
    changes.delenv(NO_DAEMON, raising=False)


@pytest.fixture
def start(folder: SocketFolder) -> Iterator[Start]:
    """Starts daemons of this test alone."""
    with contextlib.ExitStack() as stack:

        def begin(idle_s: float = 60.0) -> subprocess.Popen[str]:
            process = started(folder, idle_s)
            stack.callback(ended, process)
            return process

        yield begin


@pytest.fixture
def client() -> Client:
    return Client()


@pytest.fixture
def pipeline(monkeypatch: pytest.MonkeyPatch) -> ScriptedPipeline:
    scripted = ScriptedPipeline()
    monkeypatch.setattr("assay.pipeline.evaluate_many", scripted.evaluate_many)
    return scripted
