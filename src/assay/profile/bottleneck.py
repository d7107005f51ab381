"""Binding: what holds a candidate back, in two sentences.

The rule: the first reason that its threshold shows, in the order a person would look: is the device
waiting for the host; is a roof near; is memory busy with bytes that need not move; do warps wait.
The second sentence says where the time goes. Thresholds are stated here and nowhere else.
"""

from __future__ import annotations

from assay.data.observations.profile import KernelRow, Profile, RooflinePosition

NEAR_ROOF = 0.6  # of the floor's time: tuned kernels reach 0.7 to 0.9 of a maker's peak
BUSY = 0.75  # of a unit's own peak, measured
LEAST_BUSY_DEVICE = 0.7  # of a call's time in which some kernel runs
LOW_OCCUPANCY = 0.25  # of the warps that fit: fewer seldom hide the latency of memory
LIBRARY_SHARE = 0.5  # of the kernels' time


def sentences(profile: Profile) -> tuple[str, str]:
    """What binds it, and where its time goes."""
    found = _launching(profile) or _roofs(profile.roofline) or _units(profile) or _latency(profile)
    return found, _where(profile)


def _launching(profile: Profile) -> str:
    launch_us = profile.launch_us
    if launch_us is not None and launch_us > profile.time_us:
        return (
            f"Launch overhead binds it: the host needs {launch_us:.1f} us to hand over a call that "
            f"the device runs in {profile.time_us:.1f} us."
        )
    if not profile.kernels or profile.kernels_us >= LEAST_BUSY_DEVICE * profile.time_us:
        return ""
    launches = sum(row.calls for row in profile.kernels) / profile.profiled_calls
    return (
        f"Launch overhead binds it: its {launches:.0f} launches run for {profile.kernels_us:.1f} "
        f"of the {profile.time_us:.1f} us of a call, and the device is idle in between."
    )


def _roofs(under: RooflinePosition | None) -> str:
    if under is None or max(under.memory_share, under.arithmetic_share) < NEAR_ROOF:
        return ""
    if under.memory_share >= under.arithmetic_share:
        roof, least, share = "memory", "bytes", under.memory_share
    else:
        roof, least, share = "arithmetic", "products", under.arithmetic_share
    return f"The {roof} roof binds it: its {least} need {_percent(share)} of its time at the least."


def _units(profile: Profile) -> str:
    """A unit is busy although its roof is far: it does more than it must."""
    heaviest = _heaviest(profile)
    if heaviest is None:
        return ""
    if heaviest.memory_busy is not None and heaviest.memory_busy >= BUSY:
        under, busy = profile.roofline, _percent(heaviest.memory_busy)
        due = f", while what must move needs {_percent(under.memory_share)}" if under else ""
        return f"Memory traffic binds it: memory is busy for {busy} of its time{due}."
    if heaviest.arithmetic_busy is not None and heaviest.arithmetic_busy >= BUSY:
        return (
            f"Instructions bind it: the multiprocessors are {_percent(heaviest.arithmetic_busy)} "
            "busy, though neither roof is near."
        )
    return ""


def _latency(profile: Profile) -> str:
    heaviest = _heaviest(profile)
    if heaviest is None or not heaviest.counted:
        return _uncounted(heaviest)
    stall = max(heaviest.stalls, key=heaviest.stalls.__getitem__) if heaviest.stalls else ""
    waits = f"; its warps wait most for {stall.replace('_', ' ')}" if stall else ""
    if heaviest.occupancy is not None and heaviest.occupancy < LOW_OCCUPANCY:
        limit = f", limited by {heaviest.occupancy_limit}" if heaviest.occupancy_limit else ""
        low = f"only {_percent(heaviest.occupancy)} of the warps that fit are active{limit}"
        return f"Latency binds it: {low}{waits}."
    return f"Latency binds it: no unit is busy{waits}."


def _uncounted(heaviest: KernelRow | None) -> str:
    """Without counters only its resources speak."""
    if heaviest is None or heaviest.occupancy is None or heaviest.occupancy >= LOW_OCCUPANCY:
        return "Neither roof is near, and no counter says what it waits for."
    limit = heaviest.occupancy_limit or "its resources"
    return (
        f"Neither roof is near; {limit} let at most {_percent(heaviest.occupancy)} of the warps "
        "that fit be active, and few warps hide little latency."
    )


def _where(profile: Profile) -> str:
    heaviest = _heaviest(profile)
    if heaviest is None:
        return f"No kernel was seen: {profile.reason or 'nothing ran on the device'}."
    if profile.library_share >= LIBRARY_SHARE:
        longest = next(row for row in profile.kernels if row.library)
        share = _percent(profile.library_share)
        return f"Library kernels take {share} of the kernels' time, foremost {longest.name}."
    count = len(profile.kernels)
    of = "the only kernel" if count == 1 else f"the longest of {count} kernels"
    return f"{heaviest.name}, {of}, takes {_percent(heaviest.share)} of the kernels' time."


def _heaviest(profile: Profile) -> KernelRow | None:
    return max(profile.kernels, key=lambda row: row.total_us, default=None)


def _percent(share: float) -> str:
    return f"{100 * share:.0f} %"
