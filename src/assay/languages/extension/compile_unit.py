"""CompileUnit: one source that a candidate's process asks the host to compile, and the answer.

The rule: what comes out of the candidate's process is bounded JSON of known fields, or nothing.
Requests and answers are files of one folder in the scratch folder; numbers follow each other.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from enum import StrEnum
from typing import Any

FOLDER = "compile"  # in the scratch folder, while somebody listens
LISTENING = "listening"  # in that folder, for as long
MOST_UNITS = 16  # of one build
MOST_BYTES = 4 << 20  # of one request


class CompileTool(StrEnum):
    """Which compiler."""

    CXX = "c++"
    NVCC = "nvcc"


@dataclass(frozen=True)
class CompileUnit:
    """A source text, the path it is to have, and the flags."""

    tool: CompileTool
    program: str  # by which torch calls the compiler
    path: str
    text: str
    arguments: tuple[str, ...]

    def packed(self) -> bytes:
        """As a request."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def unpacked(cls, data: bytes) -> CompileUnit | None:
        """None where it is not one."""
        fields = _fields(data)
        arguments = fields.get("arguments")
        if not isinstance(arguments, list):
            return None
        texts = [fields.get("program"), fields.get("path"), fields.get("text"), *arguments]
        if not all(isinstance(one, str) for one in texts):
            return None
        if fields.get("tool") not in tuple(CompileTool):
            return None
        tool = CompileTool(fields["tool"])
        return cls(tool, fields["program"], fields["path"], fields["text"], tuple(arguments))


class CompileCode(StrEnum):
    """How a request ended."""

    COMPILED = "compiled"
    REFUSED = "refused"  # by the compiler: the source has errors
    DECLINED = "declined"  # by the host: to be compiled the ordinary way


@dataclass(frozen=True)
class CompileAnswer:
    """How it ended, and the compiler's words; the object is a file beside it."""

    code: CompileCode
    output: str = ""

    def packed(self) -> bytes:
        """As an answer."""
        return json.dumps(asdict(self)).encode()

    @classmethod
    def unpacked(cls, data: bytes) -> CompileAnswer:
        """What the host wrote."""
        fields = _fields(data)
        return cls(CompileCode(fields["code"]), str(fields["output"]))


def request_name(number: int) -> str:
    """The file of a request."""
    return f"{number}.request"


def answer_name(number: int) -> str:
    """The file of an answer; it appears last."""
    return f"{number}.answer"


def object_name(number: int) -> str:
    """The file of what was compiled."""
    return f"{number}.o"


def _fields(data: bytes) -> dict[str, Any]:
    try:
        found = json.loads(data)
    except (ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}
