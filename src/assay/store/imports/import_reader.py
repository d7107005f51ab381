"""ImportReader: the contract of a format that other systems publish candidates in.

The rule: a reader reads files and runs nothing. What a source says of a candidate goes into
`provenance.claimed`, every record of the source is counted, and what is left out has a reason.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.data.run import Entry


@dataclass(frozen=True)
class Imported:
    """What a file holds."""

    records: int  # of the source
    entries: tuple[Entry, ...]  # each candidate once for each round it was reported in
    left_out: Mapping[str, int] = field(default_factory=dict)  # records by why


class ImportReader(ABC):
    """One format. `name` is that of its entry point in `assay.imports`."""

    name: str

    @abstractmethod
    def read(self, path: Path) -> Imported:
        """Everything at the path; a UsageError where it is not of this format."""
