"""Delegation on a device: the time that a library's kernels take beside the candidate's own.

The rule: the records are testimony, so they convict and never acquit by themselves. A library's
product, convolution or attention, and library code under another name, convict by the time that all
of them take in a call: a kernel of the candidate's that runs long beside them dilutes nothing, and
pieces that are tiny one by one are summed. Of other library kernels half of the time is a
conviction and a quarter a suspicion; a few microseconds are bookkeeping. Code under another name is
none, however short it runs: on a small task all of the work may take two microseconds.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.kernels import KernelSeen, KernelsSeen
from assay.data.settings import Track
from assay.judge.behaviour.kernel_owner import KernelOwner, is_renamed, owner
from assay.judge.behaviour.own_names import OwnNames

HALF = 0.5
PARTLY = 0.25
BOOKKEEPING_US = 4.0  # of one call
BOOKKEEPING_SHARE = 0.1
# A launch of the smallest kernel takes 2 to 3 us on an H200: one of up to this does tiny work.
TINY_LAUNCH_US = 5.0
TINY_LAUNCHES = 2.0  # of one call: more of them are a computation in pieces
_HEAVY = re.compile(
    r"cublas|cudnn|nvjet|gemm|gemv|xmma|cutlass|splitK|convolve|winograd|conv\dd|flash_|fmha|"
    r"cufft|\bEPT<\d+u>|\b[ds]p(?:Radix|Vector|RealComplex)\w*::kernel|cusolver|cusparse|cudss|cutensor",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class KernelTimes:
    """Microseconds of all traced calls, and the names of a library's kernels, longest first."""

    own_us: float = 0.0
    library_us: float = 0.0
    heavy_us: float = 0.0  # of `library_us`
    heavy_launches: int = 0
    renamed_us: float = 0.0  # of `library_us`
    names: tuple[str, ...] = ()
    heavy: tuple[str, ...] = ()
    renamed: tuple[str, ...] = ()

    @property
    def share(self) -> float:
        """Of the library's in all; movement counts for nobody."""
        return self.library_us / (self.own_us + self.library_us)

    def is_heavy(self, calls: int) -> bool:
        """Whether the heavy ones take longer than a few tiny launches may."""
        tiny = min(self.heavy_launches / calls, TINY_LAUNCHES)
        return self.heavy_us / calls > BOOKKEEPING_US + TINY_LAUNCH_US * tiny


def findings(seen: KernelsSeen, own_names: OwnNames, track: Track) -> list[Evidence]:
    """What the records say of a candidate on a track."""
    if track is Track.OPEN:
        return []
    if seen.reason:
        return [_unknown(f"the device's kernel records could not be read: {seen.reason}", track)]
    if seen.unrecorded:
        text = f"{seen.unrecorded} launches on the device left no record of a kernel"
        return [_unknown(text, track), *_of_times(kernel_times(seen, own_names), seen, track)]
    times = kernel_times(seen, own_names)
    if times.own_us + times.library_us == 0.0:
        text = "no kernel ran on the device while it answered"
        severity = Severity.CONVICTS if track is Track.KERNEL else Severity.NOTE
        return [Evidence(kind=EvidenceKind.NO_KERNEL, severity=severity, text=text)]
    return _of_times(times, seen, track)


def _of_times(times: KernelTimes, seen: KernelsSeen, track: Track) -> list[Evidence]:
    if times.own_us + times.library_us == 0.0:
        return []
    names = ", ".join(times.names[:3])
    text = f"{100 * times.share:.0f} % of the kernel time is a library's ({names})"
    if track is Track.MIXED:
        return [_delegation(Severity.NOTE, text)]
    return _of_kernel_track(times, max(1, seen.calls), text)


def _of_kernel_track(times: KernelTimes, calls: int, text: str) -> list[Evidence]:
    if times.is_heavy(calls):
        us, names = times.heavy_us / calls, ", ".join(times.heavy[:3])
        said = f"{us:.0f} us of each call are a library's ({names})"
        return [_delegation(Severity.CONVICTS, f"{said}: that is no bookkeeping")]
    each_us = times.library_us / calls
    short = each_us < BOOKKEEPING_US and times.own_us > 0.0
    if times.share > HALF and not short:
        return [_delegation(Severity.CONVICTS, f"{text}: most of the work is delegated")]
    if times.renamed_us > BOOKKEEPING_SHARE * (times.own_us + times.library_us):
        said = f"a library's code runs under another name ({', '.join(times.renamed[:3])})"
        return [_delegation(Severity.SUSPICIOUS, said)]
    if times.share < BOOKKEEPING_SHARE or short:
        return []
    severity = Severity.SUSPICIOUS if times.share > PARTLY else Severity.NOTE
    return [_delegation(severity, f"{text}: part of the work is delegated")]


def kernel_times(seen: KernelsSeen, own_names: OwnNames) -> KernelTimes:
    """Microseconds by whose kernels they are."""
    spent = {KernelOwner.OWN: 0.0, KernelOwner.LIBRARY: 0.0, KernelOwner.MOVEMENT: 0.0}
    theirs: list[tuple[float, str]] = []
    heavy: list[tuple[float, str]] = []
    renamed: list[tuple[float, str]] = []
    heavy_launches = 0
    for kernel in seen.kernels:
        whose = owner(kernel.name, own_names, kernel.library_code)
        spent[whose] += kernel.total_us
        if whose is KernelOwner.LIBRARY:
            said = kernel.total_us, _said(kernel)
            theirs.append(said)
            hidden = is_renamed(kernel.name, own_names, kernel.library_code)
            renamed += [said] * hidden
            if hidden or _HEAVY.search(kernel.name) or _HEAVY.search(kernel.library_code):
                heavy.append(said)
                heavy_launches += kernel.launches
    return KernelTimes(
        spent[KernelOwner.OWN],
        spent[KernelOwner.LIBRARY],
        sum(total_us for total_us, _ in heavy),
        heavy_launches,
        sum(total_us for total_us, _ in renamed),
        *(tuple(name for _, name in sorted(one, reverse=True)) for one in (theirs, heavy, renamed)),
    )


def _said(kernel: KernelSeen) -> str:
    """Its name; where the code has another one in the library, that too."""
    name, code = kernel.name[:60], kernel.library_code[:60]
    return f"{name}, the code of {code}" if code and code not in kernel.name else name


def _delegation(severity: Severity, text: str) -> Evidence:
    return Evidence(kind=EvidenceKind.DELEGATION, severity=severity, text=text)


def _unknown(text: str, track: Track) -> Evidence:
    """Unknown never passes where own kernels are asked for."""
    severity = Severity.SUSPICIOUS if track is Track.KERNEL else Severity.NOTE
    return Evidence(kind=EvidenceKind.UNKNOWN, severity=severity, text=text)
