"""The folder of `--out`: one full record a candidate or task, whole or not there at all."""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path

from assay.data.record import Record
from assay.data.run import Judgement
from assay.errors import HostError, UsageError


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
        """The record of one candidate, under its id."""
        return self.put(f"{judgement.candidate.id}.json", judgement)

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
