"""Bundle: what the archive of a run holds, and what checking it again gave."""

from __future__ import annotations

from enum import StrEnum
from typing import Literal

from assay.data.candidate import Provenance
from assay.data.published.recheck import MeasuredSpeed
from assay.data.record import SCHEMA_VERSION, Record
from assay.data.verdict import Status


class BundledFile(Record):
    """One file of an archive."""

    path: str
    bytes: int
    sha256: str


class Manifest(Record):
    """Every file of an archive by the hash of its content, and who made it."""

    schema_version: int = SCHEMA_VERSION
    kind: Literal["assay-bundle"] = "assay-bundle"
    run: str  # id
    assay: str  # version that judged
    bundled_by: str  # version that wrote the archive
    evaluator: str  # hash of the sources of that version
    files: tuple[BundledFile, ...]


class BundledEntry(Record):
    """One candidate that the run was given."""

    number: int
    name: str
    submission: int
    provenance: Provenance
    task: str  # path in the archive
    candidate: str  # path in the archive
    judgement: str | None  # path in the archive; null where it was not judged yet


class Agreement(StrEnum):
    """How a verdict made again relates to the stored one."""

    SAME = "same"
    DIFFERS = "differs"
    UNKNOWN = "unknown"  # it could not be made again


class MeasuredAgain(Record):
    """One candidate evaluated again with the stored plan."""

    status: Status
    verdict: Agreement
    speed: Agreement  # same: the intervals overlap
    before: MeasuredSpeed | None = None
    after: MeasuredSpeed | None = None
    why: str = ""


class VerifiedEntry(Record):
    """One candidate of a bundle, verified."""

    schema_version: int = SCHEMA_VERSION
    number: int
    candidate: str
    task: str
    stored: Status | None  # null where the run had not judged it
    judged: Status | None  # from the stored observations, now
    verdict: Agreement
    differs: tuple[str, ...] = ()  # fields of the verdict
    why: str = ""
    measured: MeasuredAgain | None = None
