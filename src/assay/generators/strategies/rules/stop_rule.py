"""StopRule: when nothing more is asked of a task.

The rule: each task has its own clock and its own count. Nearness to the limit is read from what
was measured, and a plateau counts asks that showed no gain beyond noise.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.generators.strategies.rules.task_view import TaskView


@dataclass(frozen=True)
class StopRule:
    """Zero, of any field: this rule is off."""

    asks: int = 0
    seconds: float = 0.0
    limit_share: float = 0.0  # of the least time over the time reached
    speedup: float = 0.0  # the lower end of the interval
    plateau: int = 0  # improving asks without a gain

    def reason(self, view: TaskView) -> str:
        """Why the task is at its end; empty where it is not."""
        if self.asks and len(view.attempts) >= self.asks:
            return f"{len(view.attempts)} candidates were asked for"
        if self.seconds and view.seconds >= self.seconds:
            return f"generators took {view.seconds:.0f} s for this task"
        current = view.current
        if current is None:
            return ""
        headroom = view.headroom
        if self.limit_share and headroom is not None and 1 / headroom >= self.limit_share:
            return f"{100 / headroom:.0f} % of the limit is reached"
        if self.speedup and (current.speedup_low or 0.0) >= self.speedup:
            return f"at least {current.speedup_low:.2f} times as fast as the baseline"
        if self.plateau and view.stalled >= self.plateau:
            return f"no gain beyond noise in {view.stalled} asks"
        return ""
