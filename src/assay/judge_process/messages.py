"""What caller and judge process say to each other: records, as JSON, each after its length."""

from __future__ import annotations

import socket
import struct
from typing import Annotated, Literal

from pydantic import Field, TypeAdapter

from assay import errors
from assay.data.candidate import Candidate
from assay.data.observations.observation import HostFailed, TaskBroken
from assay.data.plan import Plan
from assay.data.record import Record
from assay.data.run import Judgement
from assay.data.settings import Settings
from assay.data.task import Task
from assay.errors import AssayError, HostError

_LENGTH = struct.Struct("=Q")
_PIECE = 1 << 20
GO_ON = b"+"  # caller to judge process: the next judgement is wanted
STOP = b"-"  # caller to judge process: no further one of this job is wanted


class Keep(Record):
    """What a judge process may keep for the jobs that follow, as limits."""

    exams: int = 16  # drawn, with their truths and baselines
    candidates: int = 64  # of one exam; then another secret is drawn
    resident_bytes: int = 4 << 30  # of the judge process itself


class Job(Record):
    """Caller to judge process: what is to be judged."""

    task: Task
    candidates: tuple[Candidate, ...]
    settings: Settings
    replay: Plan | None = None
    failure: TaskBroken | HostFailed | None = None  # known already: nothing is run
    path: tuple[str, ...] = ()  # where the caller imports from, and so may a task
    keep: Keep | None = None  # None: the process ends with this job
    side_by_side: int | None = None  # candidates at a time; None: as the settings say
    lanes: int = 1  # judge processes of the caller on the device, each with as many

    @property
    def at_once(self) -> int:
        """How many candidates are judged at the same time."""
        return self.side_by_side or self.settings.jobs


class Step(Record):
    """A stage of one candidate."""

    kind: Literal["step"] = "step"
    index: int
    stage: str
    fraction: float | None


class Judged(Record):
    """One candidate is through."""

    kind: Literal["judged"] = "judged"
    judgement: Judgement


class Failed(Record):
    """An exception of ours, by the name of its class in `errors.py`."""

    kind: Literal["failed"] = "failed"
    error: str
    text: str

    def exception(self) -> AssayError:
        """The same exception again; of an unknown class a HostError."""
        kind = getattr(errors, self.error, None)
        if isinstance(kind, type) and issubclass(kind, AssayError):
            return kind(self.text)
        return HostError(self.text)


class Logged(Record):
    """A log record, for the caller's own logging."""

    kind: Literal["logged"] = "logged"
    logger: str
    level: int
    text: str


class Done(Record):
    """Everything is judged; what is not kept for further jobs is cleaned up."""

    kind: Literal["done"] = "done"
    drawn: int = 0  # exams, in the whole life of the process
    exams: int = 0  # that are kept now
    resident_bytes: int = 0  # of the process, now
    spent: str = ""  # why it must not be given another job


Message = Annotated[Step | Judged | Failed | Logged | Done, Field(discriminator="kind")]
_MESSAGE: TypeAdapter[Message] = TypeAdapter(Message)


def send(channel: socket.socket, record: Record) -> None:
    """Send one record whole."""
    data = record.model_dump_json().encode()
    channel.sendall(_LENGTH.pack(len(data)) + data)


def receive_job(channel: socket.socket) -> Job:
    """The job. Raises EOFError when the caller is gone."""
    return Job.model_validate_json(receive_bytes(channel))


def receive_message(channel: socket.socket) -> Message:
    """The next message. Raises EOFError when the judge process is gone."""
    return _MESSAGE.validate_json(receive_bytes(channel))


def receive_bytes(channel: socket.socket, limit: int | None = None) -> bytes:
    """One record as it was sent. Raises EOFError where there is none, or a longer one."""
    (length,) = _LENGTH.unpack(_exactly(channel, _LENGTH.size))
    if limit is not None and length > limit:
        raise EOFError(f"a message of {length} bytes")
    return _exactly(channel, length)


def _exactly(channel: socket.socket, size: int) -> bytes:
    parts = bytearray()
    while len(parts) < size:
        try:
            piece = channel.recv(min(size - len(parts), _PIECE))
        except ConnectionResetError:
            piece = b""
        if not piece:
            raise EOFError("the other side closed the channel")
        parts += piece
    return bytes(parts)
