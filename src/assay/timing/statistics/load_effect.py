"""Load: what a busy machine does to a ratio; pure.

The rule: load is what the baselines and the null candidate show, whose code is known, and what the
kernel says of the whole machine; a candidate that starts more threads than there are processors
waits for itself, and makes no machine busy. Up to a quarter of the time load widens every interval,
as squares add; beyond that no ratio is stated.
"""

from __future__ import annotations

from assay.data.observations.measurement import MachineLoad

QUIET = 0.03  # of the time; two quiet cores show 0.0 to 1.5 %
MOST = 0.25  # of the time: beyond it no ratio is stated
_OTHERS = 0.5  # other tasks that compute, for every processor

ADVICE = "time again when nothing else runs, with --jobs 1"


def lost_share(load: MachineLoad) -> float:
    """The share of time that others took."""
    return max(load.waited, load.stolen or 0.0)


def is_busy(load: MachineLoad) -> bool:
    """Whether a reader should know."""
    return lost_share(load) > QUIET or (load.others or 0.0) > _OTHERS * load.processors


def is_too_busy(load: MachineLoad) -> bool:
    """Whether no ratio can be stated."""
    return lost_share(load) > MOST


def widening(load: MachineLoad | None) -> float:
    """By which share of the ratio its interval is wider; 0 on a quiet machine."""
    return lost_share(load) if load is not None and is_busy(load) else 0.0


def load_words(load: MachineLoad) -> str:
    """What was measured, in words."""
    said = [f"the timed code waited for a processor {100 * load.waited:.0f} % of the time"]
    if load.stolen is not None and load.stolen > QUIET:
        said.append(f"the hypervisor took {100 * load.stolen:.0f} %")
    if load.others is not None and load.others > 0.5:
        said.append(f"{load.others:.1f} other tasks computed on {load.processors} processors")
    if load.pressure is not None and load.pressure > QUIET:
        said.append(f"pressure {100 * load.pressure:.0f} %")
    return ", ".join(said)


def load_remarks(load: MachineLoad | None) -> tuple[str, ...]:
    """For the verdict; empty on a quiet machine."""
    if load is None or not is_busy(load):
        return ()
    return (f"the machine was busy: {load_words(load)}; the interval is wider for it; {ADVICE}",)
