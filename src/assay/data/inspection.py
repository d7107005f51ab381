"""Inspection: what a candidate's source shows by itself, and what compilers make of it."""

from __future__ import annotations

from assay.data.evidence import Evidence
from assay.data.observations.compilation import CompileReport
from assay.data.record import SCHEMA_VERSION, Record
from assay.data.scoring.rubric import Rubric


class Mention(Record):
    """Something the source names, and where."""

    name: str
    where: str = ""  # file:line


class Inspection(Record):
    """One candidate, read and not run."""

    schema_version: int = SCHEMA_VERSION
    candidate: str
    candidate_id: str
    language: str
    entry: str
    files: tuple[str, ...]
    readable: bool  # it parses and has its entry
    complete: bool  # everything it reaches could be followed: what was not found is not there
    kernels: tuple[Mention, ...]  # defined in it
    launches: tuple[Mention, ...]  # calls of them that the entry reaches
    library_calls: tuple[Mention, ...]  # computations by a library that the entry reaches
    evidence: tuple[Evidence, ...]
    rubric: Rubric | None
    compiled: tuple[CompileReport, ...] = ()  # one an architecture that was asked for
