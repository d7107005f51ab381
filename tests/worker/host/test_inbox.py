"""Letters come whole, or not at all."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

import pytest
import torch

from assay.errors import Terminated
from assay.worker.host.exam import Question
from assay.worker.host.inbox import Inbox
from assay.worker.host.tensor_mail import TensorMail
from assay.worker.host.tones import FIRST_WEIGHTS

KEY = (Question(0), FIRST_WEIGHTS)


class Interrupted:
    """A connection whose reader is asked to end in the middle of a letter."""

    def __init__(self, connection: Connection) -> None:
        self._connection = connection

    def poll(self, _: float) -> bool:
        return self._connection.poll()

    def recv(self) -> Any:
        self._connection._read(self._connection.fileno(), 2)  # type: ignore[attr-defined]
        raise Terminated(15)


@pytest.fixture
def posted() -> tuple[Connection, TensorMail]:
    """Two letters in a pipe."""
    mail = TensorMail()
    reading, writing = multiprocessing.Pipe(duplex=False)
    for value in (1.0, 2.0):
        writing.send((KEY, mail.post(torch.tensor([value]))))
    writing.close()
    return reading, mail


def test_everything_arrives_and_then_the_end(posted: tuple[Connection, TensorMail]) -> None:
    inbox, found = Inbox(*posted), []
    with pytest.raises(EOFError):
        for key, tensor in inbox.arrived():
            found.append((key, tensor.item()))
    assert found == [(KEY, 1.0), (KEY, 2.0)]


def test_after_half_a_letter_none_is_read(posted: tuple[Connection, TensorMail]) -> None:
    reading, mail = posted
    inbox = Inbox(Interrupted(reading), mail)  # type: ignore[arg-type]
    assert inbox.has_mail()
    with pytest.raises(Terminated):
        list(inbox.arrived())
    assert reading.poll() and not inbox.has_mail()
    assert list(inbox.arrived()) == []
