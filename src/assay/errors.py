"""The tree of our own failures. A candidate's failure is data (an Observation), never one of these.

AssayError
├── UsageError      the user's mistake: one line with the mend, exit code 2
├── TaskError       the task's own reference cannot be used: status `invalid_task`
└── HostError       our machinery failed: status `not_run`, exit code 3
    └── DeviceError the device's driver refused something

Terminated is none of them, and no Exception: nobody may take a signal for somebody's failure.
"""

from __future__ import annotations


class AssayError(Exception):
    """Anything Assay itself raises on purpose."""


class UsageError(AssayError):
    """The user named something that does not exist or cannot be read."""


class TaskError(AssayError):
    """The task is at fault: its reference does not load, run or repeat itself."""


class HostError(AssayError):
    """Assay's own machinery failed; the candidate is not to blame."""


class DeviceError(HostError):
    """The device's driver refused something we asked of it."""


def reason_of(error: Exception) -> str:
    """What went wrong in words: without the number of a system's error and the path again."""
    strerror = error.strerror if isinstance(error, OSError) else None
    return strerror or (str(error).splitlines() or [type(error).__name__])[0]


class Terminated(BaseException):
    """A signal asks the process to end. Not SystemExit, which a task's own code can raise."""

    def __init__(self, number: int) -> None:
        super().__init__("terminated")
        self.code = 128 + number
