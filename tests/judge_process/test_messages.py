"""Messages cross a socket whole, or not at all; forked copies of the judge process send nothing."""

from __future__ import annotations

import os
import socket
import threading

import pytest

from assay.data.observations.observation import TaskBroken
from assay.data.settings import Settings
from assay.data.verdict import Status
from assay.judge_process.judge_main import Sender
from assay.judge_process.messages import (
    Done,
    Failed,
    Job,
    Judged,
    Logged,
    Message,
    Step,
    receive_job,
    receive_message,
    send,
)
from sample_records import TASK, candidate, judgement

LARGE = candidate(text="# " + "x" * 3_000_000 + "\nclass ModelNew: ...")
MESSAGES: list[Message] = [
    Step(index=2, stage="calling", fraction=0.25),
    Judged(judgement=judgement(LARGE, Settings(), Status.ACCEPTED)),
    Failed(error="UsageError", text="ä\n"),
    Logged(logger="assay", level=30, text=""),
    Done(),
]


def test_messages_arrive_as_they_were_however_large() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        thread = threading.Thread(target=lambda: [send(theirs, message) for message in MESSAGES])
        thread.start()
        assert [receive_message(ours) for _ in MESSAGES] == MESSAGES
        thread.join()


def test_a_job_arrives_with_what_is_known_of_it() -> None:
    job = Job(
        task=TASK, candidates=(candidate(),), settings=Settings(), failure=TaskBroken(text="why")
    )
    ours, theirs = socket.socketpair()
    with ours, theirs:
        send(theirs, job)
        assert receive_job(ours) == job


@pytest.mark.parametrize("sent", [b"", b"\x05", b"\x05" + bytes(7) + b"{"])
def test_half_a_message_is_the_end(sent: bytes) -> None:
    ours, theirs = socket.socketpair()
    with ours:
        theirs.sendall(sent)
        theirs.close()
        with pytest.raises(EOFError):
            receive_message(ours)


def test_a_forked_copy_sends_nothing() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        sender = Sender(theirs)
        pid = os.fork()
        if pid == 0:
            sender(Failed(error="HostError", text="from the fork"))
            os._exit(0)
        os.waitpid(pid, 0)
        sender(Done())
        assert receive_message(ours) == Done()
