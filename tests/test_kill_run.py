"""The short form of `benchmarks/kill_run.py`: a real run killed, gone on with, and compared."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from assay.store.run_store import RunStore

sys.path.insert(0, str(Path(__file__).parents[1] / "benchmarks"))

from kill_run import Command, suite
from machine_watch import tree

BENCHMARKS = Path(__file__).parents[1] / "benchmarks"


@pytest.mark.exhaustive
def test_a_killed_run_ends_as_it_would_have(tmp_path: Path) -> None:
    line = [sys.executable, str(BENCHMARKS / "kill_run.py"), "--kills", "2", "--per-task", "2"]
    out = tmp_path / "out.json"
    done = subprocess.run([*line, "--out", str(out)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    found = json.loads(out.read_text())
    assert len(found["kills"]) == 2 and found["wrong"] == [] and found["orphans"] == 0


@pytest.mark.exhaustive
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_a_run_that_is_stopped_leaves_nothing_and_says_how_to_go_on(
    tmp_path: Path, number: int, code: int
) -> None:
    suite(tmp_path / "candidates", per_task=2, seed=1)
    command = Command(tmp_path / "candidates", tmp_path / "run", jobs=2)
    started = command.start()
    with RunStore(tmp_path / "run", create=True) as store:
        while not store.owners():
            assert started.poll() is None
            time.sleep(0.05)
        time.sleep(2.0)
        below = list(tree(started.pid))
        started.send_signal(number)
        _, said = started.communicate(timeout=60)
        assert started.returncode == code
        assert "the same command goes on" in said and store.owners() == []
        assert not any(Path(f"/proc/{pid}").exists() for pid in below)


def test_the_suite_has_right_and_wrong_candidates_of_three_tasks(tmp_path: Path) -> None:
    suite(tmp_path / "candidates", per_task=3, seed=1)
    found = sorted(path.parent.name for path in (tmp_path / "candidates").glob("*/*"))
    assert found == ["gelu"] * 3 + ["row_sum"] * 3 + ["softmax"] * 3
