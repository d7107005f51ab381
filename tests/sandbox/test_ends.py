"""However a candidate's process ends, the host says which way, and nothing stays behind."""

from __future__ import annotations

import os
import signal
from pathlib import Path

import pytest
import torch

from assay.data.observations.observation import EndCause
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.protocol.replies import CallCode, ReplyCode
from assay.sandbox.protocol.requests import Survey
from support.walls import ROOMS, Inside, Room, alive, result, wait_until

X = torch.arange(8, dtype=torch.float32)

MODEL = """
import ctypes, os, signal, sys, threading, time
import torch
class ModelNew(torch.nn.Module):
    def forward(self, x):
{body}
        return x + 1
"""


def _model(body: str) -> str:
    lines = "\n".join(f"        {line}" for line in body.splitlines())
    return MODEL.format(body=lines)


def _lost(inside: Inside, body: str, limit_s: float = 60.0) -> ProcessLost:
    inside.construct(_model(body))
    with pytest.raises(ProcessLost) as caught:
        inside.one(X, limit_s=limit_s)
    return caught.value


@pytest.mark.parametrize("code", [0, 3])
def test_an_exit_is_an_exit_and_no_success(room: Room, code: int) -> None:
    with room.enter() as inside:
        lost = _lost(inside, f"os._exit({code})")
    assert (lost.cause, lost.code) == (EndCause.EXITED, code)


@pytest.mark.parametrize(
    "number", [signal.SIGSEGV, signal.SIGABRT, signal.SIGKILL, signal.SIGTERM, 40]
)
def test_a_signal_is_named(room: Room, number: int) -> None:
    """Real-time signals have no name and are signals all the same."""
    with room.enter() as inside:
        lost = _lost(inside, f"os.kill(os.getpid(), {int(number)})")
    assert (lost.cause, lost.code) == (EndCause.SIGNALLED, int(number))
    assert lost.text


def test_what_was_printed_last_is_told(room: Room) -> None:
    with room.enter() as inside:
        body = "print('early'); print('what():  std::bad_alloc\\x1b', flush=True); os.abort()"
        lost = _lost(inside, body)
    assert "SIGABRT" in lost.text and "what():  std::bad_alloc" in lost.text
    assert lost.text.isprintable()


@pytest.mark.parametrize(
    ("words", "cause"),
    [
        ("what():  std::bad_alloc", EndCause.OUT_OF_MEMORY),
        ("what():  std::out_of_range", EndCause.SIGNALLED),
    ],
)
def test_an_allocation_that_failed_and_that_nobody_caught_is_memory_that_ran_out(
    room: Room, words: str, cause: EndCause
) -> None:
    with room.enter() as inside:
        lost = _lost(inside, f"print({words!r}, flush=True); os.abort()")
    assert (lost.cause, lost.code) == (cause, int(signal.SIGABRT))


def test_a_hang_ends_at_the_deadline(room: Room) -> None:
    with room.enter() as inside:
        lost = _lost(inside, "while True: pass", limit_s=0.3)
    assert lost.cause is EndCause.TIMED_OUT


@pytest.mark.parametrize(
    "body",
    [
        "signal.pthread_sigmask(signal.SIG_BLOCK, signal.valid_signals()); time.sleep(100)",
        "os.kill(os.getpid(), signal.SIGSTOP)",
    ],
)
def test_deaf_or_stopped_is_a_hang_too(best_room: Room, body: str) -> None:
    with best_room.enter() as inside:
        lost = _lost(inside, body, limit_s=0.3)
    assert lost.cause is EndCause.TIMED_OUT


def test_many_processes_are_too_many(room: Room) -> None:
    body = f"""
import subprocess
started = [subprocess.Popen(["sleep", "100"]) for _ in range({ROOMS.processes} + 1)]
time.sleep(100)
"""
    with room.enter() as inside:
        lost = _lost(inside, body)
    assert lost.cause is EndCause.PROCESS_LIMIT


def test_reserved_memory_is_refused_and_said_so(room: Room) -> None:
    with room.enter() as inside:
        inside.construct(_model("torch.empty(1 << 36, dtype=torch.uint8)"))
        record = inside.one(X).calls[0].record
    assert record is not None and record.code == CallCode.OUT_OF_MEMORY


def test_memory_over_several_processes_is_added_up(room: Room) -> None:
    body = """
for _ in range(3):
    if os.fork() == 0:
        held = b"x" * (500 << 20)
        time.sleep(100)
time.sleep(100)
"""
    with room.enter() as inside:
        lost = _lost(inside, body)
    assert lost.cause is EndCause.OUT_OF_MEMORY


@pytest.mark.parametrize("name", ["SystemExit", "KeyboardInterrupt", "MemoryError", "ValueError"])
def test_what_is_raised_stays_inside(room: Room, name: str) -> None:
    with room.enter() as inside:
        inside.construct(_model(f"raise {name}('words')"))
        record = inside.one(X).calls[0].record
        assert record is not None
        codes = {"MemoryError": CallCode.OUT_OF_MEMORY, "ValueError": CallCode.RAISED}
        assert record.code == codes.get(name, CallCode.BROKE)
        assert name in record.message and "words" in record.message
        assert inside.session.ask(Survey(), Deadline.after(5)).code == ReplyCode.OK


def test_an_import_that_exits_is_a_raised_import(room: Room) -> None:
    with room.enter() as inside:
        reply = inside.load("import sys\nsys.exit(0)\nclass ModelNew: pass")
        assert reply.code == ReplyCode.BROKE
        assert "SystemExit" in inside.session.statement()


FORGE = """
import struct
os.write(3, struct.pack("<4sIiI", b"DONE", {sequence}, 0, 0))
time.sleep({rest})
"""


def test_an_answer_with_a_foreign_number_breaks_the_protocol(room: Room) -> None:
    with room.enter() as inside:
        lost = _lost(inside, FORGE.format(sequence=999, rest=5))
    assert lost.cause is EndCause.BROKE_PROTOCOL


@pytest.mark.parametrize("data", ["b'x'", "b'x' * 16", "bytes(100)"])
def test_noise_on_the_channel_breaks_the_protocol(best_room: Room, data: str) -> None:
    with best_room.enter() as inside:
        lost = _lost(inside, f"os.write(3, {data}); time.sleep(5)")
    assert lost.cause is EndCause.BROKE_PROTOCOL


def test_a_closed_channel_breaks_the_protocol(best_room: Room) -> None:
    with best_room.enter() as inside:
        lost = _lost(inside, "os.close(3); time.sleep(10)")
    assert lost.cause is EndCause.BROKE_PROTOCOL


def test_an_answer_ahead_of_the_work_brings_no_result(best_room: Room) -> None:
    """The right number can be guessed; the slots are then taken as they are, and they are empty."""
    with best_room.enter() as inside:
        inside.construct(_model("pass"))
        assert torch.equal(result(inside.one(X)), X + 1)
        number = inside.session.process._sequence
    with best_room.enter() as inside:
        inside.construct(_model(FORGE.format(sequence=number, rest=0.2)))
        found = inside.one(X).calls[0]
        assert found.record is None and found.outputs[0].header is None
        assert found.outputs[0].tensor is None
        with pytest.raises(ProcessLost) as caught:  # the true answer now comes to the next question
            inside.session.survey(Deadline.after(5))
    assert caught.value.cause is EndCause.BROKE_PROTOCOL


def test_a_child_left_behind_is_counted(room: Room) -> None:
    with room.enter() as inside:
        inside.construct(_model("if os.fork() == 0: time.sleep(100)"))
        assert inside.one(X).extra_processes == 1


def _tree(inside: Inside) -> list[int]:
    return inside.session.process.processes.pids()


@pytest.mark.parametrize("frozen", [False, True])
def test_after_the_end_nothing_is_alive(room: Room, frozen: bool) -> None:
    body = "if os.fork() == 0:\n    os.setsid()\n    time.sleep(100)"
    with room.enter() as inside:
        inside.construct(_model(body))
        inside.one(X)
        if not frozen:
            inside.session.process.thaw()
        pids = _tree(inside)
        assert len(pids) == 3 and all(alive(pid) for pid in pids)
    assert wait_until(lambda: not any(alive(pid) for pid in pids))


def test_descriptors_of_the_host_are_given_back(room: Room) -> None:
    with room.enter() as inside:
        inside.construct(_model("pass"))
        inside.one(X)
    before = len(os.listdir("/proc/self/fd"))
    for _ in range(3):
        with room.enter() as inside:
            inside.construct(_model("pass"))
            inside.one(X)
    assert len(os.listdir("/proc/self/fd")) == before


def test_what_it_prints_is_kept_short(room: Room) -> None:
    with room.enter() as inside:
        inside.construct(_model("print('a' * 100_000); print('last words', flush=True)"))
        inside.one(X)
        text = inside.session.process.output()
    assert text.endswith("last words\n") and len(text) <= 1 << 14


def test_no_folder_of_the_sandbox_stays(room: Room) -> None:
    with room.enter() as inside:
        paths = _group_paths(_tree(inside)[0])
        scratch = inside.scratch_path
    assert not any(path.exists() for path in paths)
    assert scratch == "/scratch" or not Path(scratch).exists()


def _group_paths(pid: int) -> list[Path]:
    """Folders of control groups that carry our name."""
    found = []
    for line in Path(f"/proc/{pid}/cgroup").read_text().splitlines():
        name = line.rpartition(":")[2]
        if "/assay-" in name:
            found += [p for p in Path("/sys/fs/cgroup").glob(f"*{name}") if p.is_dir()]
            found += [p for p in [Path(f"/sys/fs/cgroup{name}")] if p.is_dir()]
    return found
