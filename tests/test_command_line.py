"""The command as other programs meet it: real pipeline, real processes, real exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from assay.app.main import main

EXAMPLES = Path(__file__).parents[1] / "examples"
HONEST = EXAMPLES / "softmax" / "honest__cpp_three_pass.py"
SMOKE = ("--level", "smoke", "--no-timing")

HANGS = """
import time
import torch

class ModelNew(torch.nn.Module):
    def forward(self, x):
        while True:
            time.sleep(1)
"""
FAILING_TASK = """
import torch

class Model(torch.nn.Module):
    def forward(self, x):
        raise ValueError("the reference is broken")

N = 8

def get_inputs():
    return [torch.randn(N)]

def get_init_inputs():
    return []
"""
DOES_NOT_COMPILE = """
import subprocess
import torch

open("kernel.cpp", "w").write("int forward( { return nonsense; }")
subprocess.run(["c++", "-shared", "-o", "kernel.so", "kernel.cpp"], check=True)

class ModelNew(torch.nn.Module):
    pass
"""


def assay(*arguments: object) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "assay.app.main", *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=240)


@dataclass(frozen=True)
class Judged:
    """What one command said, and where its records are."""

    done: subprocess.CompletedProcess[str]
    records: Path

    @property
    def lines(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.done.stdout.splitlines()]


@pytest.fixture(scope="module")
def several(tmp_path_factory: pytest.TempPathFactory) -> Judged:
    """Candidates of every kind, judged by one command."""
    folder = tmp_path_factory.mktemp("several")
    texts = {
        "no_entry": "x = 1\n",
        "syntax": "def forward(:\n",
        "compiler": DOES_NOT_COMPILE,
        "wrong": HONEST.read_text().replace("1.0 / sum", "0.5 / sum"),
    }
    for name, text in texts.items():
        (folder / f"{name}.py").write_text(text)
    candidates = [HONEST, *(folder / f"{name}.py" for name in texts)]
    records = folder / "records"
    return Judged(
        assay("eval", "softmax", *candidates, *SMOKE, "--json", "--out", records), records
    )


@pytest.fixture(scope="module")
def replayed(several: Judged) -> Judged:
    """The first of them, asked the same once more, and timed."""
    (record,) = (
        path
        for path in several.records.glob("*.json")
        if json.loads(path.read_text())["verdict"]["status"] == "accepted"
    )
    words = ("eval", "softmax", HONEST, "--timing", "--json", "--replay", record)
    return Judged(assay(*words), several.records)


def test_several_candidates_one_line_each_in_order(several: Judged) -> None:
    lines = several.lines
    assert [line["status"] for line in lines] == [
        "accepted",
        "build_failed",
        "build_failed",
        "build_failed",
        "incorrect",
    ]
    assert several.done.returncode == 1
    assert "ModelNew" in lines[1]["reason"]
    assert "SyntaxError" in lines[2]["reason"]
    words = " ".join(e["text"] for e in lines[3]["evidence"])
    assert "nonsense" in words or "error:" in words  # the compiler's own
    held = lines[0]["environment"]["layers_held"]
    assert {"seccomp", "no capabilities"} <= set(held)


def test_all_accepted_is_exit_code_zero_and_replays(several: Judged, replayed: Judged) -> None:
    first, (second,) = several.lines[0], replayed.lines
    assert (replayed.done.returncode, second["status"]) == (0, "accepted")
    assert second["plan"] == first["plan"]
    own, *others = [w["error_budget_used"] for w in first["workloads"]]
    own_again, *others_again = [w["error_budget_used"] for w in second["workloads"]]
    assert others_again == others and own_again >= own  # the timed calls of the own shape count too


def test_a_timed_candidate_has_a_ratio_with_an_interval_or_the_load_that_withheld_it(
    replayed: Judged,
) -> None:
    """Tests run side by side, and on such a machine a withheld ratio is a right answer."""
    (verdict,) = replayed.lines
    assert verdict["status"] == "accepted"
    if verdict["timing"] is None:
        assert "busy" in verdict["timing_reason"] or "load hides" in verdict["timing_reason"]
        return
    (timing,) = verdict["timing"]
    assert timing["baseline"] == "eager"
    assert 0 < timing["speedup_low"] <= timing["speedup"] <= timing["speedup_high"]
    assert timing["candidate_us"] > 0 and timing["method"]


def test_a_broken_reference_is_the_tasks_fault(tmp_path: Path) -> None:
    task = tmp_path / "task.py"
    task.write_text(FAILING_TASK)
    done = assay("eval", task, HONEST, *SMOKE, "--json")
    line = json.loads(done.stdout)
    assert (done.returncode, line["status"]) == (1, "invalid_task")
    assert "the reference is broken" in line["reason"]


def test_a_users_mistake_is_exit_code_two() -> None:
    done = assay("eval", "softmax", "/no/such/kernel.py")
    assert (done.returncode, done.stdout) == (2, "")
    assert len(done.stderr.strip().splitlines()) == 1


@pytest.mark.parametrize(
    "arguments",
    [
        ("no_such_task", HONEST),
        ("softmax", HONEST, "--device", "tpu"),
        ("softmax", HONEST, "--device", "cuda:99"),  # known, but not here
        ("softmax", HONEST, "--level", "huge"),
        ("softmax", HONEST, "--no-such-flag"),
        (HONEST, HONEST),  # a file without Model
    ],
)
def test_every_mistake_is_one_line(
    arguments: tuple[object, ...], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["eval", *map(str, arguments)]) == 2
    said = capsys.readouterr()
    assert said.out == ""
    assert len(said.err.strip().splitlines()) == 1


def leftovers() -> set[str]:
    found = os.walk("/sys/fs/cgroup")  # which passes over what goes away meanwhile
    groups = {f"{at}/{name}" for at, below, _ in found for name in below if "assay-" in name}
    folders = {str(p) for p in Path(tempfile.gettempdir()).glob("scratch-*")}
    return groups | folders


def descendants(pid: int) -> set[int]:
    found = {pid}
    for _ in range(6):
        for entry in Path("/proc").glob("[0-9]*/stat"):
            try:
                fields = entry.read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) in found:
                found.add(int(entry.parent.name))
    return found


# That SIGTERM unwinds as SIGINT does, tests/test_termination.py shows in less time.
SIGTERM = pytest.param(signal.SIGTERM, marks=pytest.mark.exhaustive)


@pytest.mark.parametrize("number", [signal.SIGINT, SIGTERM, signal.SIGKILL])
def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, number: int) -> None:
    before = leftovers()
    hangs = tmp_path / "hangs.py"
    hangs.write_text(HANGS)
    command = [sys.executable, "-m", "assay.app.main", "eval", "softmax"]
    process = subprocess.Popen([*command, str(hangs), *SMOKE])
    deadline = time.monotonic() + 240
    # command, supervisor, judge, warm parent, init process, candidate
    while len(descendants(process.pid)) < 6:
        assert time.monotonic() < deadline, "the candidate never started"
        time.sleep(0.1)
    time.sleep(0.5)
    tree = descendants(process.pid)
    os.kill(process.pid, number)
    process.wait(120)
    gone_by = time.monotonic() + 60
    while time.monotonic() < gone_by:
        alive = {pid for pid in tree if Path(f"/proc/{pid}").exists()}
        ours = {path for path in leftovers() - before if any(str(pid) in path for pid in tree)}
        if not alive and not ours:
            return
        time.sleep(0.05)
    raise AssertionError(f"left: processes {alive}, {ours}")
