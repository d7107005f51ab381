"""CompilerSandbox: a sandbox in which compilers work on a candidate's texts, and none of its code
runs.

The rule: compilers read hostile text, so they run behind the wall as well. The host takes back
bounded files and reads them as text.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.sandbox.host import scratch
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall
from assay.sandbox.protocol.replies import ReplyCode
from assay.sandbox.protocol.requests import RunTool

MOST_BYTES = 64 << 20
_MESSAGE_LETTERS = 4000
_FOLDER = "compile"
_LOG = "compile.log"
_GRACE_S = 10.0
_UNSEEN = re.compile(r"[^\S\n]*[^\x20-\x7e\n\u00a0-\uffff]+[^\S\n]*")


@dataclass(frozen=True)
class ToolResult:
    """How a program ended and what it printed."""

    code: int
    output: str

    @property
    def ok(self) -> bool:
        """It ended as programs do that found nothing wrong."""
        return self.code == 0


class CompilerSandbox:
    """Owns one sandbox; closing it ends it."""

    def __init__(self, wall: Wall, seconds: float) -> None:
        self._session = Session(wall)
        self._seconds = seconds
        self.folder = f"{self._session.process.scratch_path}/{_FOLDER}"

    def put(self, path: str, data: bytes) -> None:
        """Lay a file into the folder the tools work in."""
        scratch.write_file(self._session.process.scratch, f"{_FOLDER}/{path}", data)

    def take(self, path: str) -> bytes:
        """A file the tools left; nothing where there is none."""
        try:
            root = self._session.process.scratch
            return scratch.read_file(root, f"{_FOLDER}/{path}", MOST_BYTES)
        except scratch.Unkeepable:
            return b""

    def run(self, *arguments: str) -> ToolResult:
        """Raises Lost where the sandbox ends."""
        process = self._session.process
        request = RunTool(arguments, self.folder, f"{process.scratch_path}/{_LOG}", self._seconds)
        seconds = self._seconds + _GRACE_S
        reply = self._session.ask(request, Deadline.after(seconds, seconds))
        if reply.code != ReplyCode.OK:
            return ToolResult(1, self._session.statement())
        output = scratch.read_file(process.scratch, _LOG, MOST_BYTES)
        return ToolResult(reply.count, output.decode("utf-8", "replace"))

    def close(self) -> None:
        """End the sandbox."""
        self._session.close()


def message(text: str, hidden: tuple[str, ...] = ()) -> str:
    """A compiler's words for people: bounded, without control characters or our folders."""
    for place in hidden:
        text = text.replace(f"{place}/", "")
    lines = [line.rstrip() for line in _UNSEEN.sub(" ", text).splitlines()]
    return "\n".join(line for line in lines if line)[:_MESSAGE_LETTERS]
