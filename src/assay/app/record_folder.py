"""The folder of `--out`: one full record a candidate or task, whole or not there at all.

The rule: a record is named by its task, its candidate and its settings, so that only the same
evaluation, made again, replaces it.
"""

from __future__ import annotations

import os
import re
import tempfile
from dataclasses import dataclass
from pathlib import Path

from assay.data.record import Record, content_id
from assay.data.run import Judgement
from assay.errors import HostError, UsageError

_NAME_LENGTH = 60
_UNSAFE = re.compile(r"[^A-Za-z0-9._-]+")


def record_name(judgement: Judgement) -> str:
    """`<task>.<candidate>.<hash>.json`, the hash over task, candidate and settings."""
    task, candidate = judgement.task, judgement.candidate
    settings = judgement.settings.model_dump_json(exclude={"jobs"})  # how, not what
    digest = content_id(task.id, task.content_id, candidate.name, candidate.id, settings)
    return f"{_readable(task.id)}.{_readable(Path(candidate.name).stem)}.{digest}.json"


def _readable(name: str) -> str:
    """The name in letters that every file system and shell takes."""
    return _UNSAFE.sub("_", name)[:_NAME_LENGTH].strip(".") or "_"


@dataclass(frozen=True)
class RecordFolder:
    """Where records go."""

    path: Path

    @classmethod
    def at(cls, path: Path) -> RecordFolder:
        """Make the folder; a UsageError where that or writing into it is impossible."""
        try:
            path.mkdir(parents=True, exist_ok=True)
            with tempfile.TemporaryFile(dir=path):
                return cls(path)
        except OSError as error:
            raise UsageError(f"cannot write into --out {path}: {error.strerror}") from error

    def write(self, judgement: Judgement) -> Path:
        """The record of one candidate."""
        return self.put(record_name(judgement), judgement)

    def put(self, name: str, record: Record) -> Path:
        """Write beside the target and rename, so that no reader ever sees half a record."""
        target = self.path / name
        part = target.with_suffix(f".{os.getpid()}.part")
        try:
            part.write_text(record.model_dump_json() + "\n", encoding="utf-8")
            part.replace(target)
        except OSError as error:
            raise HostError(f"cannot write {target}: {error.strerror}") from error
        finally:
            part.unlink(missing_ok=True)
        return target
