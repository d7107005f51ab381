"""What a survey says of a process whose candidate changed it."""

from __future__ import annotations

import pytest
import torch

from assay.sandbox.child import state_snapshot
from assay.sandbox.host.deadline import Deadline
from support.walls import Room

_REPLACES_LOOP = """
import sys
sys.modules["assay.sandbox.child.timed_calls"].TimedCalls.run = lambda *arguments: 0
"""
_REPLACES_COPY = """
import sys
sys.modules["assay.sandbox.child.child_memory"].Memory.write = lambda *arguments: None
"""


@pytest.mark.parametrize(
    ("source", "name"),
    [
        (_REPLACES_LOOP, "runner.child.timed_calls.TimedCalls.run"),
        (_REPLACES_COPY, "runner.child.child_memory.Memory.write"),
    ],
)
def test_a_replaced_method_of_the_runner_is_named(best_room: Room, source: str, name: str) -> None:
    with best_room.enter() as inside:
        assert inside.load(source).code == 0, inside.session.statement()
        told = inside.session.survey(Deadline.after(10.0))
    assert name in [line.partition("\t")[0] for line in told]


def test_an_ordinary_candidate_changes_nothing_of_the_runner(best_room: Room) -> None:
    with best_room.enter() as inside:
        assert inside.load("import torch").code == 0
        told = inside.session.survey(Deadline.after(10.0))
    assert not [line for line in told if line.startswith("runner.")]


def test_setting_the_thread_count_is_told_of_even_where_it_changes_nothing(
    best_room: Room,
) -> None:
    source = "import torch\ntorch.set_num_threads(torch.get_num_threads())"
    with best_room.enter() as inside:
        assert inside.load(source).code == 0, inside.session.statement()
        told = inside.session.survey(Deadline.after(10.0))
    assert "torch.num_threads" in [line.partition("\t")[0] for line in told]


_NEWER_SWITCH = """
import torch
torch.backends.cuda.matmul.fp32_precision = "tf32"
"""
_OLDER_SWITCH = """
import torch
torch.backends.cuda.matmul.allow_tf32 = True
"""


@pytest.mark.parametrize("source", [_NEWER_SWITCH, _OLDER_SWITCH])
def test_whoever_switches_tf32_is_told_of(best_room: Room, source: str) -> None:
    """The newer switch makes the older one refuse to be read."""
    with best_room.enter() as inside:
        assert inside.load(source).code == 0, inside.session.statement()
        told = inside.session.survey(Deadline.after(10.0))
    names = [line.partition("\t")[0] for line in told]
    assert "torch.backends.cuda.matmul.fp32_precision" in names
    assert "torch.backends.cuda.matmul.allow_tf32" in names


_LEFT = """
import os, tempfile
os.chdir(tempfile.mkdtemp())
os.umask(0)
"""


def test_a_folder_and_a_mask_that_are_left_changed_are_told_of(best_room: Room) -> None:
    with best_room.enter() as inside:
        assert inside.load(_LEFT).code == 0, inside.session.statement()
        told = inside.session.survey(Deadline.after(10.0))
    assert {"cwd", "umask"} <= {line.partition("\t")[0] for line in told}


def test_threads_that_torch_shares_are_asked_how_they_round(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert state_snapshot._workers_round_to_nearest()
    plain = torch.ones

    def one_worker_rounds_down(count: int) -> torch.Tensor:
        """What such a thread makes of 1 + 1.5 * 2^-24, and of its negative, is 1."""
        made = plain(count)
        made[-1] = torch.inf
        return made

    monkeypatch.setattr(torch, "ones", one_worker_rounds_down)
    assert not state_snapshot._workers_round_to_nearest()


_SETTINGS = """
import ctypes, gc, io, resource, signal, sys
ctypes.CDLL(None).setenv(b"LD_PRELOAD", b"/nowhere.so", 1)
ctypes.CDLL(None).unsetenv(b"HOME")
resource.setrlimit(resource.RLIMIT_MEMLOCK, (0, 0))
import numpy, torch
sys.setswitchinterval(5.0)
gc.set_threshold(0)
numpy.seterr(all="raise")
resource.setrlimit(resource.RLIMIT_NOFILE, (96, resource.getrlimit(resource.RLIMIT_NOFILE)[1]))
ctypes.CDLL("libm.so.6").feenableexcept(4)
sys.stdout = io.StringIO()
signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
torch.autograd.graph.saved_tensors_hooks(torch.Tensor.half, torch.Tensor.float).__enter__()
"""


def test_settings_of_the_process_that_are_left_changed_are_told_of(best_room: Room) -> None:
    with best_room.enter() as inside:
        assert inside.load(_SETTINGS).code == 0, inside.session.statement()
        told = inside.session.survey(Deadline.after(10.0))
    expected = {"sys.switchinterval", "gc.threshold", "numpy.errors", "rlimit.nofile"}
    expected |= {"env.LD_PRELOAD", "env.HOME", "rlimit.memlock"}  # Python's copies stay
    expected |= {"sys.stdout", "signal.mask", "torch.saved_tensor_hooks"}
    assert expected <= {line.partition("\t")[0] for line in told}


def test_open_traps_are_seen() -> None:
    assert state_snapshot._keeps_extended_precision()
    assert state_snapshot._open_traps() in ("0", "unreadable")
