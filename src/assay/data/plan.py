"""Plan: everything that, with the task and the candidate, repeats an evaluation exactly."""

from __future__ import annotations

from assay.data.baselines import Baselines
from assay.data.record import Record
from assay.data.settings import Cache, Level, Settings, Track
from assay.data.workload import Workload


class Redrawn(Record):
    """A content that was drawn again: the reference raised on it, or was inaccurate."""

    workload: int  # its place among the workloads
    draw: str  # which of the workload's contents
    variant: int = 0  # how many times a few of its elements were changed
    left_out: int  # draws


class Plan(Record):
    """The secret of the run and what was made of it. Published only after the run.

    A plan without workloads is a secret from which they are still to be drawn.
    """

    secret: str
    level: Level
    track: Track
    device: str
    timing: bool
    baselines: Baselines
    cache: Cache = Cache.COLD
    tf32: bool = False
    workloads: tuple[Workload, ...]
    drawn_for: str = ""  # the candidate for which the workloads after the shared ones were drawn
    shared: int | None = None  # workloads that every candidate is asked; null: all of them
    redrawn: tuple[Redrawn, ...] = ()  # contents whose first draws the reference does not answer

    @property
    def is_drawn(self) -> bool:
        """Whether the workloads are known, and not only the secret."""
        return bool(self.workloads)

    @property
    def for_all(self) -> Plan:
        """Without what was drawn for one candidate."""
        update = {"workloads": self.workloads[: self.shared], "drawn_for": "", "shared": None}
        return self.model_copy(update=update)

    @property
    def for_one(self) -> tuple[Workload, ...]:
        """What was drawn for one candidate."""
        return () if self.shared is None else self.workloads[self.shared :]

    @classmethod
    def of(cls, settings: Settings, secret: str, workloads: tuple[Workload, ...]) -> Plan:
        """What these settings ask for, on these workloads."""
        known = cls.model_fields.keys() & Settings.model_fields.keys()
        asked = {name: getattr(settings, name) for name in known}
        return cls(secret=secret, workloads=workloads, **asked)
