"""SearchResult: what a search found of one task."""

from __future__ import annotations

from assay.data.generation.attempt import Attempt
from assay.data.generation.budget import Spend
from assay.data.record import SCHEMA_VERSION, Record


class SearchResult(Record):
    """One task of a search, as `assay search --json` prints it."""

    schema_version: int = SCHEMA_VERSION
    task: str
    winner: str = ""  # candidate id; empty: none was confirmed to be faster
    reason: str  # why it is the winner, or why there is none
    best: Attempt | None = None  # at the level of the search
    milestone: float | None = None  # the reward of that name for the best; null: nothing judged
    attempts: int
    accepted: int
    below_limit: int  # measured faster than any kernel can be
    untrusted: int  # dishonest or suspicious
    spent: Spend
    stopped: str = ""  # why nothing more was asked
