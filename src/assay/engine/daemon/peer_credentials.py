"""PeerCredentials: whose process is at the other end of a Unix socket, as the kernel says it.

The rule: only processes of the same user talk to each other, and each side asks the kernel itself.
"""

from __future__ import annotations

import os
import socket
import struct
from dataclasses import dataclass

_UCRED = struct.Struct("3i")


@dataclass(frozen=True)
class PeerCredentials:
    """Process, user and group; of a listening side as they were when it began to listen."""

    pid: int
    uid: int
    gid: int

    @classmethod
    def of(cls, channel: socket.socket) -> PeerCredentials:
        """Of the other end of a connected socket."""
        found = channel.getsockopt(socket.SOL_SOCKET, socket.SO_PEERCRED, _UCRED.size)
        return cls(*_UCRED.unpack(found))

    @property
    def same_user(self) -> bool:
        """Whether it is this user's process."""
        return self.uid == os.geteuid()
