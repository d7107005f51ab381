"""`assay serve` as a command: where it listens, how it ends, what it refuses."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from urllib.request import urlopen

import pytest

from assay.app.main import main


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
def test_it_says_where_it_listens_and_ends_when_told(number: signal.Signals) -> None:
    command = [sys.executable, "-m", "assay.app.main", "serve", "--port", "0", "--json"]
    served = subprocess.Popen(
        [*command, "--level", "smoke"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert served.stdout is not None
    url = json.loads(served.stdout.readline())["url"]
    with urlopen(f"{url}/health", timeout=240) as answer:
        assert json.load(answer)["level"] == "smoke"
    os.kill(served.pid, number)
    _, errors = served.communicate(timeout=240)
    assert served.returncode == 128 + number
    assert "Traceback" not in errors


@pytest.mark.parametrize(
    ("flags", "complaint"),
    [
        (["--host", "0.0.0.0"], "is open to others: name a --token-env too"),
        (["--token-env", "NO_SUCH_TOKEN"], "variable NO_SUCH_TOKEN is not set"),
    ],
)
def test_an_open_door_needs_a_token(
    flags: list[str], complaint: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["serve", "--port", "0", *flags]) == 2
    assert complaint in capsys.readouterr().err


def test_a_port_that_is_taken_is_one_line(capsys: pytest.CaptureFixture[str]) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = str(taken.getsockname()[1])
        assert main(["serve", "--port", port]) == 2
    assert f"cannot listen on 127.0.0.1:{port}" in capsys.readouterr().err
