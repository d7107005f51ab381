"""Cassette: requests and their answers in a file, so that a study runs again without a network.

A file of JSON lines, one an answer, by the key of its request. Modes:

    live     neither read nor written
    record   every request is made, and its answer is written
    replay   every answer is read; one that is missing is an error
    cache    read where it is there, else made and written

The rule: a replayed call is what was recorded, bit for bit, but for its mark. What is written holds
no headers, so that no key of a user is in it.
"""

from __future__ import annotations

import fcntl
import json
import os
import threading
from enum import StrEnum
from pathlib import Path
from typing import Any

from pydantic import ValidationError

from assay.data.generation.search_event import LlmCall
from assay.errors import UsageError
from assay.generators.completion.chat import ChatRequest

_VERSION = 1


class CassetteMode(StrEnum):
    """Whether answers are read from a cassette, and written to it."""

    LIVE = "live"
    RECORD = "record"
    REPLAY = "replay"
    CACHE = "cache"

    @property
    def reads(self) -> bool:
        """Whether an answer may come from the file."""
        return self in (CassetteMode.REPLAY, CassetteMode.CACHE)

    @property
    def writes(self) -> bool:
        """Whether an answer of the network is added to the file."""
        return self in (CassetteMode.RECORD, CassetteMode.CACHE)


class Cassette:
    """The answers of one file. Several threads and processes may add to it."""

    def __init__(self, path: Path) -> None:
        self._path, self._lock = path, threading.Lock()
        self._known: dict[str, LlmCall] = {}
        self._read_to = 0

    def find(self, key: str) -> LlmCall | None:
        """The answer that was recorded last, marked as replayed; None where there is none."""
        with self._lock:
            self._read()
            return self._known.get(key)

    def add(self, request: ChatRequest, call: LlmCall) -> None:
        """Add an answer, durable once this returns."""
        line = {"version": _VERSION, "request": request.document(), "call": call.model_dump()}
        text = json.dumps(line, sort_keys=True)
        with self._lock, self._path.open("ab") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            file.write(text.encode() + b"\n")
            file.flush()
            os.fsync(file.fileno())

    def _read(self) -> None:
        """What was added since; a last line without its end is still being written."""
        if not self._path.exists():
            return
        with self._path.open("rb") as file:
            file.seek(self._read_to)
            data = file.read()
        whole = data[: data.rfind(b"\n") + 1]
        for number, line in enumerate(whole.splitlines(), 1):
            call = self._call(line, number)
            self._known[call.key] = call
        self._read_to += len(whole)

    def _call(self, line: bytes, number: int) -> LlmCall:
        try:
            found: Any = json.loads(line)
            if found["version"] != _VERSION:
                raise UsageError(f"{self._path}: version {found['version']} is not {_VERSION}")
            return LlmCall.model_validate(found["call"] | {"replayed": True})
        except (ValueError, KeyError, TypeError, ValidationError) as error:
            raise UsageError(f"{self._path}: line {number} is no answer of a cassette") from error
