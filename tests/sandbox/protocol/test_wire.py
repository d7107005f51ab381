"""Messages and descriptors over a socket pair."""

from __future__ import annotations

import os
import socket
import threading
from collections.abc import Iterator

import pytest

from assay.sandbox.protocol import wire
from assay.sandbox.protocol.requests import Protect, Survey

Pair = tuple[socket.socket, socket.socket]


@pytest.fixture
def pair() -> Iterator[Pair]:
    ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
    ours.settimeout(5)
    theirs.settimeout(5)
    with ours, theirs:
        yield ours, theirs


def test_messages_arrive_whole_and_in_order(pair: Pair) -> None:
    messages = [Survey(), Protect(3, ((0, 4096), (8192, 4096)))]
    for message in messages:
        wire.send(pair[0], message)
    assert [wire.receive(pair[1])[0] for _ in messages] == messages


def test_a_large_message_arrives_in_pieces(pair: Pair) -> None:
    data = os.urandom(3 << 20)
    sender = threading.Thread(target=wire.send, args=(pair[0], data))
    sender.start()
    received, descriptors = wire.receive(pair[1])
    sender.join()
    assert received == data and descriptors == []


def test_descriptors_come_with_their_message(pair: Pair) -> None:
    files = [os.memfd_create(f"file{n}") for n in range(3)]
    for number, file in enumerate(files):
        os.write(file, bytes([number]))
    wire.send(pair[0], "with files", files)
    wire.send(pair[0], "without")
    message, received = wire.receive(pair[1])
    assert message == "with files" and len(received) == 3
    assert [os.pread(fd, 1, 0) for fd in received] == [b"\0", b"\1", b"\2"]
    assert wire.receive(pair[1]) == ("without", [])
    for fd in files + received:
        os.close(fd)


def test_a_closed_peer_is_an_end_and_not_a_wait(pair: Pair) -> None:
    pair[0].close()
    with pytest.raises(EOFError):
        wire.receive(pair[1])


def test_a_peer_that_leaves_in_the_middle_is_an_end(pair: Pair) -> None:
    pair[0].sendall(b"\x10\0\0\0\0\0\0\0" + b"half")
    pair[0].close()
    with pytest.raises(EOFError):
        wire.receive(pair[1])


def test_a_head_in_two_pieces_is_put_together(pair: Pair) -> None:
    pair[0].sendall(b"\x02\0\0")
    threading.Timer(0.05, lambda: pair[0].sendall(b"\0\0\0\0\0N.")).start()
    assert wire.receive(pair[1]) == (None, [])
