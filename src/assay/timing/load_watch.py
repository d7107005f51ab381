"""LoadWatch: how busy the machine is with other work while times are taken.

The rule: it only reads what the kernel says; what this machine does not tell stays None.
"""

from __future__ import annotations

import os
import statistics
from collections.abc import Sequence
from dataclasses import dataclass, field

from assay.data.observations.measurement import MachineLoad
from assay.devices.load_counters import LoadCounters, load_between, load_counters


@dataclass
class LoadWatch:
    """From its making on."""

    start: LoadCounters = field(default_factory=load_counters)
    others: list[int] = field(default_factory=list)

    def look(self) -> None:
        """Count who computes, while everything of ours but this thread stands still."""
        runnable = load_counters().runnable
        if runnable is not None:
            self.others.append(max(0, runnable - 1))

    def load(self, waited: Sequence[float]) -> MachineLoad:
        """Up to now; `waited` are the shares of known code, one a round."""
        found = load_between(self.start, load_counters())
        return MachineLoad(
            waited=statistics.median(waited) if waited else 0.0,
            stolen=found.steal_share,
            pressure=found.waiting_share,
            others=statistics.fmean(self.others) if self.others else None,
            processors=len(os.sched_getaffinity(0)),
        )
