"""Candidate: the sources under judgement. Its id is the hash of its content, not of its name."""

from __future__ import annotations

from enum import StrEnum

from assay.data.generator import Generator
from assay.data.record import SCHEMA_VERSION, Record, content_id


class SourceFile(Record):
    """One file of a candidate, by its path inside the candidate."""

    path: str
    text: str


class HumanPart(StrEnum):
    """The most that a person did for a candidate, beside starting the generator."""

    NONE = "none"
    CORRECTIONS = "corrections"  # small ones of what the generator wrote
    STRATEGY = "strategy"  # said how to go about it
    CO_DESIGN = "co-design"  # wrote or designed parts of the kernel


class Provenance(Record):
    """Where a candidate comes from and what it cost; everything optional, nothing guessed."""

    generator: Generator | None = None
    parents: tuple[str, ...] = ()
    round: int | None = None  # of the generator's conversation or search
    sample: int | None = None  # which of several for one task
    tokens_in: int | None = None
    tokens_out: int | None = None
    tokens_cached: int | None = None
    cost_usd: float | None = None
    seconds: float | None = None  # that the generator took
    human_edits: int | None = None
    human_part: HumanPart | None = None


class Candidate(Record):
    """Sources with an entry point. `name` is what the user called it and is not hashed."""

    schema_version: int = SCHEMA_VERSION
    name: str
    language: str  # a name of `assay.languages.language_registry`
    sources: tuple[SourceFile, ...]
    entry: str = "ModelNew"
    provenance: Provenance = Provenance()

    @property
    def id(self) -> str:
        """The content hash over language, entry and every source."""
        parts = [self.language, self.entry]
        for file in sorted(self.sources, key=lambda f: f.path):
            parts += [file.path, file.text]
        return content_id(*parts)

    @property
    def main(self) -> SourceFile:
        """The file that holds the entry point: the first."""
        return self.sources[0]
