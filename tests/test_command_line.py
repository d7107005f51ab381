"""The command as other programs meet it: real pipeline, real processes, real exit codes."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[1] / "examples"
HONEST = EXAMPLES / "softmax" / "honest__cpp_three_pass.py"
WRONG = EXAMPLES / "softmax" / "wrong__tail_dropped.py"
QUICK = ("--level", "quick", "--no-timing")

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


@pytest.fixture
def written(tmp_path: Path):  # type: ignore[no-untyped-def]
    def write(name: str, text: str) -> Path:
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_several_candidates_one_line_each_in_order(written) -> None:  # type: ignore[no-untyped-def]
    no_entry = written("no_entry.py", "x = 1\n")
    syntax = written("syntax.py", "def forward(:\n")
    compiler = written("compiler.py", DOES_NOT_COMPILE)
    done = assay("eval", "softmax", HONEST, no_entry, syntax, compiler, WRONG, *QUICK, "--json")
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    assert [line["status"] for line in lines] == [
        "accepted",
        "build_failed",
        "build_failed",
        "build_failed",
        "incorrect",
    ]
    assert done.returncode == 1
    assert "ModelNew" in lines[1]["reason"]
    assert "SyntaxError" in lines[2]["reason"]
    words = " ".join(e["text"] for e in lines[3]["evidence"])
    assert "nonsense" in words or "error:" in words  # the compiler's own
    held = lines[0]["environment"]["layers_held"]
    assert {"seccomp", "no capabilities"} <= set(held)


def test_all_accepted_is_exit_code_zero_and_replays(tmp_path: Path) -> None:
    done = assay("eval", "softmax", HONEST, *QUICK, "--json", "--out", tmp_path)
    first = json.loads(done.stdout)
    assert (done.returncode, first["status"]) == (0, "accepted")
    (record,) = tmp_path.glob("*.json")
    again = assay("eval", "softmax", HONEST, "--no-timing", "--json", "--replay", record)
    second = json.loads(again.stdout)
    assert second["plan"] == first["plan"]
    assert [w["error_budget_used"] for w in second["workloads"]] == [
        w["error_budget_used"] for w in first["workloads"]
    ]


def test_a_broken_reference_is_the_tasks_fault(written) -> None:  # type: ignore[no-untyped-def]
    task = written("task.py", FAILING_TASK)
    done = assay("eval", task, HONEST, *QUICK, "--json")
    line = json.loads(done.stdout)
    assert (done.returncode, line["status"]) == (1, "invalid_task")
    assert "the reference is broken" in line["reason"]


def test_a_timed_candidate_has_a_ratio_with_an_interval_or_the_load_that_withheld_it() -> None:
    """Tests run side by side, and on such a machine a withheld ratio is a right answer."""
    done = assay("eval", "softmax", HONEST, "--level", "quick", "--json")
    verdict = json.loads(done.stdout)
    assert verdict["status"] == "accepted"
    if verdict["timing"] is None:
        assert "busy" in verdict["timing_reason"] or "load hides" in verdict["timing_reason"]
        return
    (timing,) = verdict["timing"]
    assert timing["baseline"] == "eager"
    assert 0 < timing["speedup_low"] <= timing["speedup"] <= timing["speedup_high"]
    assert timing["candidate_us"] > 0 and timing["method"]


@pytest.mark.parametrize(
    "arguments",
    [
        ("softmax", "/no/such/kernel.py"),
        ("no_such_task", HONEST),
        ("softmax", HONEST, "--device", "tpu"),
        ("softmax", HONEST, "--device", "cuda:99"),  # known, but not here
        ("softmax", HONEST, "--level", "huge"),
        ("softmax", HONEST, "--no-such-flag"),
        (HONEST, HONEST),  # a file without Model
    ],
)
def test_a_users_mistake_is_one_line_and_exit_code_two(arguments: tuple[object, ...]) -> None:
    done = assay("eval", *arguments)
    assert done.returncode == 2
    assert done.stdout == ""
    assert len(done.stderr.strip().splitlines()) == 1


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


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_an_interrupt_leaves_nothing_behind(written, number: int) -> None:  # type: ignore[no-untyped-def]
    before = leftovers()
    command = [sys.executable, "-m", "assay.app.main", "eval", "softmax"]
    process = subprocess.Popen([*command, str(written("hangs.py", HANGS)), *QUICK])
    deadline = time.monotonic() + 60
    # command, supervisor, judge, warm parent, init process, candidate
    while len(descendants(process.pid)) < 6:
        assert time.monotonic() < deadline, "the candidate never started"
        time.sleep(0.1)
    time.sleep(0.5)
    tree = descendants(process.pid)
    os.kill(process.pid, number)
    process.wait(20)
    gone_by = time.monotonic() + 10
    while time.monotonic() < gone_by:
        alive = {pid for pid in tree if Path(f"/proc/{pid}").exists()}
        ours = {path for path in leftovers() - before if any(str(pid) in path for pid in tree)}
        if not alive and not ours:
            return
        time.sleep(0.05)
    raise AssertionError(f"left: processes {alive}, {ours}")
