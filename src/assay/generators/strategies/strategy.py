"""Strategy: the contract of what decides what a search asks for next.

Other distributions add their own in the entry-point group `assay.strategies`
(name = "module:Class").

The rule: `propose` is a pure function of the state, whose seed is the only chance in it. An empty
answer means that nothing is left to ask. A gain within noise is none: intervals decide.
"""

from __future__ import annotations

import random
from abc import ABC, abstractmethod
from collections.abc import Mapping
from typing import Self

from assay.data.generation.action import Action
from assay.data.generation.search_state import SearchState
from assay.errors import UsageError


class Strategy(ABC):
    """Chooses the next actions from what was tried."""

    name: str

    def configured(self, options: Mapping[str, str]) -> Self:
        """Itself with `--set NAME=VALUE`s; a UsageError for one that it does not know."""
        if options:
            raise UsageError(f"strategy '{self.name}' has no setting {sorted(options)[0]!r}")
        return self

    @abstractmethod
    def propose(self, state: SearchState) -> tuple[Action, ...]:
        """What to do next; asks of one answer may be made side by side."""

    def random(self, state: SearchState) -> random.Random:
        """Chance that follows from the seed and from how far the search is."""
        return random.Random(f"{state.seed}:{sum(1 for _ in state.attempts())}:{self.name}")
