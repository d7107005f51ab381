"""One colour a meaning, the same everywhere: green good, red bad, yellow doubt, dim not judged."""

from __future__ import annotations

from assay.data.evidence import Severity
from assay.data.verdict import Outcome, Status

STATUS = {
    Status.NOT_RUN: "magenta",
    Status.INVALID_TASK: "magenta",
    Status.BUILD_FAILED: "red",
    Status.CRASHED: "red",
    Status.TIMED_OUT: "red",
    Status.OUT_OF_MEMORY: "red",
    Status.DISHONEST: "bold red",
    Status.INCORRECT: "red",
    Status.SUSPICIOUS: "yellow",
    Status.ACCEPTED: "green",
}
OUTCOME = {
    Outcome.OK: "green",
    Outcome.WRONG: "red",
    Outcome.REFUSED: "yellow",
    Outcome.CRASHED: "red",
    Outcome.TIMED_OUT: "red",
    Outcome.OUT_OF_MEMORY: "red",
    Outcome.UNKNOWN: "yellow",
    Outcome.NOT_RUN: "dim",
}
SEVERITY = {
    Severity.CONVICTS: "red",
    Severity.SUSPICIOUS: "yellow",
    Severity.NOTE: "dim",
}
ANSWER = {"yes": "green", "no": "red", "suspicious": "yellow", "unknown": "yellow"}
