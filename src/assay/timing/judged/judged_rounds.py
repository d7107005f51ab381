"""JudgedRounds: which of the timed rounds have an answer judged.

The rule: some are drawn with equal chances over all rounds that were run, however many they turn
out to be, and the last round is always among them: nobody inside a call knows which one is last.
Answers are kept as they were found and judged when nothing is timed any more.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

from assay.sandbox.host.call_content import Content
from assay.sandbox.host.changes.few_changes import NO_CHANGES, FewChanges
from assay.sandbox.host.raw_call import RawCall


@dataclass(frozen=True)
class TakenCall:
    """One timed call as it was found."""

    index: int
    length: int
    content: Content
    raw: RawCall
    few: FewChanges = NO_CHANGES  # of the content, on a device: it is changed while it is judged


@dataclass
class JudgedRounds:
    """So many drawn rounds, the last one, the first call that did not return, and a strange one."""

    drawn_rounds: int
    rng: random.Random
    drawn: list[TakenCall] = field(default_factory=list)
    last: TakenCall | None = None
    failed: TakenCall | None = None
    strange: TakenCall | None = None  # of a batch whose results stayed alive
    _rounds: int = 0

    def is_drawn(self) -> bool:
        """Whether an answer of this round is to be taken; asked once a round."""
        self._rounds += 1
        return self.rng.random() < self.drawn_rounds / self._rounds

    def keep(self, taken: TakenCall) -> None:
        """One of a drawn round; it takes the place of an earlier one where there are enough."""
        if len(self.drawn) < self.drawn_rounds:
            self.drawn.append(taken)
        elif self.drawn:
            self.drawn[self.rng.randrange(self.drawn_rounds)] = taken

    @property
    def all(self) -> list[TakenCall]:
        """Everything that is judged."""
        return [
            *self.drawn,
            *(one for one in (self.last, self.failed, self.strange) if one is not None),
        ]
