"""Claim findings: one claim beside the verdict on its kernel and the limits of its device.

The rule: speeds are compared only where the device, the sizes and the kernel are those of the
claim; everything else is judged all the same.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from assay.data.device import Device
from assay.data.published.recheck import Claim, Recheck
from assay.data.verdict import Verdict
from assay.devices.peaks import board_of, boards_called
from assay.engine.claims.claim_floors import ClaimFloors
from assay.engine.claims.claim_list import ReadClaim
from assay.limits.claim_limits import ClaimedTime, beyond_limits
from assay.scores.claim_check import ClaimCase, rechecked


@dataclass
class ClaimChecker:
    """Checks one claim after the other."""

    floors: ClaimFloors = field(default_factory=ClaimFloors)

    def check(self, read: ReadClaim, verdict: Verdict | None, entry: int | None = None) -> Recheck:
        """What is to be said of one claim; without a verdict only what its figures show."""
        claim = read.claim
        apart = "" if verdict is None else incomparable(claim, verdict.environment.device)
        baseline_us = None
        if verdict is not None and verdict.timing and not apart:
            baseline_us = verdict.timing[0].baseline_us
        time = ClaimedTime.of(claim, baseline_us)
        asks = time is not None or claim.bytes_per_s is not None or claim.flops_per_s is not None
        boards = self.floors.of(claim, read.task) if asks else ()
        beyond = beyond_limits(claim, boards, time)
        case = ClaimCase(claim, verdict, beyond, read.unjudged, apart)
        return rechecked(case).model_copy(update={"entry": entry})


def incomparable(claim: Claim, device: Device) -> str:
    """Why claimed and measured speeds are not comparable; empty where they are."""
    if not is_same_device(claim.device, device):
        return f"the claim is about {claim.device}, and {device.name} is here"
    if claim.sizes:
        sizes = " ".join(f"{name}={size}" for name, size in claim.sizes.items())
        return f"the claim is about {sizes}, and the task's own sizes were measured"
    return ""


def is_same_device(claimed: str, device: Device) -> bool:
    """Whether a claim that names this device, or none, is about the device here."""
    plain = " ".join(claimed.lower().split())
    if not plain or plain in (device.kind.lower(), " ".join(device.name.lower().split())):
        return True
    return board_of(device.name) in [peaks.name for peaks in boards_called(claimed)]
