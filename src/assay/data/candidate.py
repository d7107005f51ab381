"""Candidate: the sources under judgement. Its id is the hash of its content, not of its name."""

from __future__ import annotations

from enum import StrEnum

from pydantic import Field

from assay.data.generator import Generator
from assay.data.record import SCHEMA_VERSION, Record, content_id


class SourceFile(Record):
    """One file of a candidate, by its path inside the candidate."""

    path: str
    text: str


class ClaimedResult(Record):
    """What somebody else says of a candidate. It is testimony: no score counts it as a verdict."""

    source: str  # the format that it was read from
    ran: bool | None = None  # None, here and below: the source does not say
    correct: bool | None = None
    latency_us: float | None = None
    speedup: float | None = None  # over the source's own baseline; stated without an interval
    score: float | None = None  # the source's own objective, larger is better
    error: str = ""
    labels: tuple[str, ...] = ()  # what the source calls the step that led here
    device: str = ""
    metrics: dict[str, float] = Field(default_factory=dict)  # other figures, in the source's names

    @property
    def works(self) -> bool | None:
        """Said to be correct; where the source has no word for that, said to have run."""
        return self.ran if self.correct is None else self.correct

    @property
    def figure(self) -> float | None:
        """What a gain is a ratio of: the speedup, else the objective; None unless positive."""
        found = self.speedup if self.speedup is not None else self.score
        return found if found is not None and found > 0 else None


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
    claimed: ClaimedResult | None = None  # what others say of it, where it was imported


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
