"""A plan repeats every setting that it has a field for."""

from __future__ import annotations

from assay.data.plan import Plan
from assay.data.settings import Cache, Level, Settings, Track
from assay.data.workload import Workload

CHANGED = Settings(
    device="cuda:1",
    track=Track.OPEN,
    level=Level.FULL,
    timing=False,
    baselines=("compile",),
    cache=Cache.BOTH,
    tf32=True,
)


def test_no_setting_is_dropped() -> None:
    plan = Plan.of(CHANGED, "5e" * 32, (Workload(axes={"rows": 2}, dtype="float32"),))
    shared = Plan.model_fields.keys() & Settings.model_fields.keys()
    assert shared == Plan.model_fields.keys() - {
        *("secret", "workloads", "drawn_for", "shared", "redrawn")
    }
    assert all(getattr(plan, name) == getattr(CHANGED, name) for name in shared)
    assert all(getattr(plan, name) != getattr(Settings(), name) for name in shared)
