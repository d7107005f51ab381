"""What `--replay` reads: a record of `--out`, or one verdict that `--json` printed.

The rule: a plan is replayed only on the task it was drawn for. Another candidate is allowed, and
said.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from pydantic import ValidationError

from assay.data.candidate import Candidate
from assay.data.plan import Plan
from assay.data.record import SCHEMA_VERSION
from assay.data.run import Judgement
from assay.data.task import Task
from assay.data.verdict import Verdict
from assay.errors import UsageError


@dataclass(frozen=True)
class Replayed:
    """An earlier evaluation that is to be repeated."""

    path: Path
    task: str
    task_content: str | None  # None where only the verdict is known
    candidate_id: str
    plan: Plan


def read_replayed(path: Path) -> Replayed:
    """The evaluation that the file holds; a UsageError says why it cannot be repeated."""
    found = _fields(path)
    try:
        if "verdict" in found:
            record = Judgement.model_validate(found, strict=False)
            return _replayed(path, record.verdict, record.task.content_id)
        return _replayed(path, Verdict.model_validate(found, strict=False), None)
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole file"
        raise UsageError(
            f"{path} is not a record that `assay eval --out` wrote: {first['msg']} ({place})"
        ) from error


def check_replayed(replayed: Replayed, task: Task, candidates: Sequence[Candidate]) -> None:
    """Refuse a plan of another task; say where the candidate is another one."""
    if replayed.task != task.id:
        raise UsageError(
            f"{replayed.path} is a record of the task '{replayed.task}', not of '{task.id}': "
            "give that task, or leave --replay out"
        )
    if replayed.task_content not in (None, task.content_id):
        raise UsageError(
            f"the task '{task.id}' has changed since {replayed.path} was written, so it cannot be "
            "replayed: leave --replay out"
        )
    if any(candidate.id != replayed.candidate_id for candidate in candidates):
        text = "assay: the candidate differs from the record's: not an exact replay"
        print(text, file=sys.stderr)  # noqa: T201


def _replayed(path: Path, verdict: Verdict, content: str | None) -> Replayed:
    if verdict.plan is None:
        raise UsageError(
            f"{path} holds no plan, because that evaluation ended before one was drawn: leave "
            "--replay out"
        )
    return Replayed(path, verdict.task, content, verdict.candidate_id, verdict.plan)


def _fields(path: Path) -> dict[str, object]:
    """The one JSON object of the file, of the version that this Assay writes."""
    try:
        lines = path.read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise UsageError(f"cannot read the record {path}: {reason}") from error
    try:
        found = json.loads(lines)
    except (ValueError, RecursionError) as error:
        several = "\n" in lines and all(line.startswith("{") for line in lines.splitlines())
        mend = "it holds several objects: give a file with one" if several else "it is not JSON"
        raise UsageError(f"cannot replay {path}: {mend}") from error
    if not isinstance(found, dict):
        raise UsageError(f"{path} is not a record that `assay eval --out` wrote")
    version = found.get("schema_version", SCHEMA_VERSION)
    if version != SCHEMA_VERSION:
        raise UsageError(
            f"{path} has schema version {version}, and this Assay reads {SCHEMA_VERSION}: judge "
            "again without --replay"
        )
    return found
