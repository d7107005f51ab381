"""Wire: length-prefixed requests and descriptors over a Unix socket."""

from __future__ import annotations

import array
import pickle
import socket
import struct
from collections.abc import Sequence
from typing import Any

_LENGTH = struct.Struct("<Q")
_MAX_DESCRIPTORS = 8


def send(sock: socket.socket, message: object, descriptors: Sequence[int] = ()) -> None:
    """Send one trusted message, with descriptors riding on its first byte."""
    data = pickle.dumps(message, protocol=pickle.HIGHEST_PROTOCOL)
    head = _LENGTH.pack(len(data))
    if descriptors:
        rights = array.array("i", descriptors)
        sock.sendmsg([head], [(socket.SOL_SOCKET, socket.SCM_RIGHTS, rights)])
    else:
        sock.sendall(head)
    sock.sendall(data)


def receive(sock: socket.socket) -> tuple[Any, list[int]]:
    """Receive one message from the *trusted* side. Raises EOFError when the peer is gone."""
    head, descriptors = receive_descriptors(sock, _LENGTH.size)
    if len(head) < _LENGTH.size:
        head += receive_exactly(sock, _LENGTH.size - len(head))
    (length,) = _LENGTH.unpack(head)
    return pickle.loads(receive_exactly(sock, length)), descriptors


def receive_descriptors(sock: socket.socket, size: int) -> tuple[bytes, list[int]]:
    """At most `size` bytes and the descriptors that came with them."""
    width = array.array("i").itemsize
    data, ancillary, _, _ = sock.recvmsg(size, socket.CMSG_SPACE(_MAX_DESCRIPTORS * width))
    if not data:
        raise EOFError("peer closed the channel")
    descriptors = array.array("i")
    for level, kind, payload in ancillary:
        if level == socket.SOL_SOCKET and kind == socket.SCM_RIGHTS:
            descriptors.frombytes(payload[: len(payload) - len(payload) % width])
    return data, list(descriptors)


def receive_exactly(sock: socket.socket, size: int) -> bytes:
    """Exactly `size` bytes. Raises EOFError when the peer goes away first."""
    parts = bytearray()
    while len(parts) < size:
        piece = sock.recv(min(size - len(parts), 1 << 20))
        if not piece:
            raise EOFError("peer closed the channel")
        parts += piece
    return bytes(parts)
