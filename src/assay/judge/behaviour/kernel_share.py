"""Delegation on a device: the share of kernel time that the candidate's own kernels take.

The rule: the records are testimony, so they convict and never acquit by themselves. Half of the
time in kernels of a library's is a conviction, a quarter a suspicion; a few microseconds are
bookkeeping.
"""

from __future__ import annotations

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.kernels import KernelsSeen
from assay.data.settings import Track
from assay.judge.behaviour.kernel_owner import KernelOwner, owner

HALF = 0.5
PARTLY = 0.25
BOOKKEEPING_US = 4.0  # of one call
BOOKKEEPING_SHARE = 0.1


def findings(seen: KernelsSeen, own_names: frozenset[str], track: Track) -> list[Evidence]:
    """What the records say of a candidate on a track."""
    if track is Track.OPEN:
        return []
    if seen.reason:
        return [_unknown(f"the device's kernel records could not be read: {seen.reason}")]
    own_us, library_us, names = shares(seen, own_names)
    if own_us + library_us == 0.0:
        text = "no kernel ran on the device while it answered"
        severity = Severity.CONVICTS if track is Track.KERNEL else Severity.NOTE
        return [Evidence(kind=EvidenceKind.NO_KERNEL, severity=severity, text=text)]
    share = library_us / (own_us + library_us)
    text = f"{100 * share:.0f} % of the kernel time is a library's ({', '.join(names[:3])})"
    if track is Track.MIXED:
        return [_delegation(Severity.NOTE, text)]
    each_us = library_us / max(1, seen.calls)
    if share < BOOKKEEPING_SHARE or (each_us < BOOKKEEPING_US and own_us > 0.0):
        return []
    if share > HALF:
        return [_delegation(Severity.CONVICTS, f"{text}: most of the work is delegated")]
    severity = Severity.SUSPICIOUS if share > PARTLY else Severity.NOTE
    return [_delegation(severity, f"{text}: part of the work is delegated")]


def shares(seen: KernelsSeen, own_names: frozenset[str]) -> tuple[float, float, list[str]]:
    """Microseconds in own kernels, in a library's, and the names of those, longest first."""
    spent = {KernelOwner.OWN: 0.0, KernelOwner.LIBRARY: 0.0, KernelOwner.MOVEMENT: 0.0}
    theirs: list[tuple[float, str]] = []
    for kernel in seen.kernels:
        whose = owner(kernel.name, own_names)
        spent[whose] += kernel.total_us
        if whose is KernelOwner.LIBRARY:
            theirs.append((kernel.total_us, kernel.name[:60]))
    names = [name for _, name in sorted(theirs, reverse=True)]
    return spent[KernelOwner.OWN], spent[KernelOwner.LIBRARY], names


def _delegation(severity: Severity, text: str) -> Evidence:
    return Evidence(kind=EvidenceKind.DELEGATION, severity=severity, text=text)


def _unknown(text: str) -> Evidence:
    return Evidence(kind=EvidenceKind.UNKNOWN, severity=Severity.NOTE, text=text)
