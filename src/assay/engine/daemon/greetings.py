"""What clients and the daemon say to each other before an evaluation begins.

The rule: the daemon answers nothing to who does not know the token. A greeting that cannot be read
is one of another version, and is refused as that.
"""

from __future__ import annotations

import socket
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter, ValidationError

from assay.data.record import Record
from assay.engine.daemon.session_identity import SessionIdentity
from assay.judge_process.messages import Job, receive_bytes

LARGEST_GREETING = 1 << 20
Wish = Literal["evaluate", "status", "stop"]


class Greeting(Record):
    """Client to daemon: the first message of a connection."""

    token: str
    wish: Wish
    identity: SessionIdentity


class Welcome(Record):
    """Daemon to client: a worker has the connection now; the work may follow."""

    kind: Literal["welcome"] = "welcome"


class Refused(Record):
    """Daemon to client: why it is of no use to this client."""

    kind: Literal["refused"] = "refused"
    reason: str


class DaemonStatus(Record):
    """Daemon to client: how it stands."""

    kind: Literal["status"] = "status"
    pid: int
    assay: str
    package: str
    running_s: float
    idle_s: float  # after which it ends
    unused_s: float  # since the last evaluation ended; 0 while one is going on
    workers: int
    busy: int
    served: int  # evaluations handed over so far
    differs: str = ""  # why it is of no use to this client


class ClientWork(Record):
    """Client to worker: a job, and the folder that relative paths in it start from."""

    job: Job
    folder: str


Reply = Annotated[Welcome | Refused | DaemonStatus, Field(discriminator="kind")]
_REPLY: TypeAdapter[Reply] = TypeAdapter(Reply)


def receive_greeting(channel: socket.socket) -> Greeting | None:
    """The greeting; None where it cannot be read. Raises EOFError, OSError."""
    try:
        return Greeting.model_validate_json(receive_bytes(channel, LARGEST_GREETING))
    except ValidationError:
        return None


def receive_reply(channel: socket.socket) -> Reply:
    """The daemon's answer; one that cannot be read is a refusal. Raises EOFError, OSError."""
    try:
        return _REPLY.validate_json(receive_bytes(channel, LARGEST_GREETING))
    except ValidationError:
        return Refused(reason="it is another version of Assay")


def receive_work(channel: socket.socket) -> ClientWork:
    """The work. Raises EOFError when the client is gone."""
    return ClientWork.model_validate_json(receive_bytes(channel))
