"""Letters come whole, or not at all."""

from __future__ import annotations

import multiprocessing
from multiprocessing.connection import Connection
from typing import Any

import pytest
import torch

from assay.errors import Terminated
from assay.exam.exam import ContentKey
from assay.exam.prefetch.tensor_channel import MessageReader, TensorChannel
from assay.exam.weight_scales import FIRST_WEIGHTS

KEY = (ContentKey(0), FIRST_WEIGHTS)


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
def posted() -> tuple[Connection, TensorChannel]:
    """Two letters in a pipe."""
    channel = TensorChannel()
    reading, writing = multiprocessing.Pipe(duplex=False)
    for value in (1.0, 2.0):
        writing.send((KEY, channel.post(torch.tensor([value]))))
    writing.close()
    return reading, channel


def test_everything_arrives_and_then_the_end(posted: tuple[Connection, TensorChannel]) -> None:
    messages, found = MessageReader(*posted), []
    with pytest.raises(EOFError):
        for key, tensor in messages.arrived():
            found.append((key, tensor.item()))
    assert found == [(KEY, 1.0), (KEY, 2.0)]


def test_after_half_a_letter_none_is_read(posted: tuple[Connection, TensorChannel]) -> None:
    reading, channel = posted
    messages = MessageReader(Interrupted(reading), channel)  # type: ignore[arg-type]
    assert messages.has_message()
    with pytest.raises(Terminated):
        list(messages.arrived())
    assert reading.poll() and not messages.has_message()
    assert list(messages.arrived()) == []
