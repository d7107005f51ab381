"""Budget: what a search may spend, and what it has spent. None, in a budget: no limit."""

from __future__ import annotations

from assay.data.record import Record


class Spend(Record):
    """What was spent, or what one step is expected to cost."""

    tokens: int = 0  # read and written
    dollars: float = 0.0  # of calls whose price is known
    seconds: float = 0.0  # that generators took
    trials: int = 0  # candidates that were judged

    def __add__(self, other: Spend) -> Spend:
        return Spend(
            tokens=self.tokens + other.tokens,
            dollars=self.dollars + other.dollars,
            seconds=self.seconds + other.seconds,
            trials=self.trials + other.trials,
        )


class Budget(Record):
    """The most that a search may spend of each."""

    tokens: int | None = None
    dollars: float | None = None
    seconds: float | None = None
    trials: int | None = None

    def exceeded(self, spent: Spend) -> str:
        """The first limit that is reached, by name; empty where there is room left."""
        for name in ("tokens", "dollars", "seconds", "trials"):
            most = getattr(self, name)
            if most is not None and getattr(spent, name) >= most:
                return name
        return ""

    def left(self, spent: Spend) -> Budget:
        """What may still be spent."""
        rest = {
            name: max(0, most - getattr(spent, name))
            for name in ("tokens", "dollars", "seconds", "trials")
            if (most := getattr(self, name)) is not None
        }
        return Budget(**rest)
