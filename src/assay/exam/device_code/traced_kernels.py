"""Kernel records: what the device ran while the candidate answered a few ordinary calls."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from assay.data.observations.kernels import KernelSeen, KernelsSeen
from assay.data.observations.observation import CheckMissing
from assay.data.settings import Track
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.planned_call import PlannedCall
from assay.sandbox.host.session import Session
from assay.sandbox.protocol.replies import FAILED, MARKED, UNRECORDED, ReplyCode

CHECK_NAME = "device kernels"
AGAIN = 2  # where nothing was recorded
_FIELDS = 8


def traced(
    session: Session,
    calls: Sequence[PlannedCall],
    deadline: Deadline,
    library: Mapping[str, str] | None = None,
) -> KernelsSeen:
    """These calls under the device's own trace; `library` names a library's functions by code."""
    reply = session.trace(calls, deadline)
    statement = session.statement()
    if reply.code != ReplyCode.OK:
        reason = statement.strip().splitlines()[-1:] or ["the trace failed"]
        return KernelsSeen(calls=len(calls), reason=reason[0][:300])
    return kernels_seen(statement, len(calls), library or {})


def kernels_seen(statement: str, calls: int, known: Mapping[str, str]) -> KernelsSeen:
    """What a log of that many calls says."""
    said = statement.splitlines()
    failed = [line.partition("\t")[2] for line in said if line.startswith(f"{FAILED}\t")]
    if failed:
        return KernelsSeen(calls=calls, reason=failed[0][:300])
    lines = (_kernel(line, known) for line in said)
    found = tuple(one for one in lines if one is not None)
    return KernelsSeen(
        calls=calls,
        kernels=found,
        marked=MARKED in said,
        unrecorded=sum(_unrecorded(line) for line in said),
        compared=len(known),
    )


def asked_until_told(
    ask: Callable[[], KernelsSeen], pause: Callable[[], None], track: Track
) -> list[KernelsSeen | CheckMissing]:
    """Records that are complete; where the recorder fails time and again, that is said too."""
    seen = ask()
    for _ in range(AGAIN):
        if not is_blank(seen):
            return [seen]
        pause()
        seen = ask()
    if not is_blank(seen) or seen.unrecorded or (seen.marked and not seen.kernels):
        return [seen]
    said = "kernels without times" if seen.kernels else "not even the judge's own kernel"
    reason = f"the device's recorder told {said}, {1 + AGAIN} times"
    return [CheckMissing(check=CHECK_NAME, reason=reason, essential=track is Track.KERNEL)]


def is_blank(seen: KernelsSeen) -> bool:
    """Whether the records leave a launch out, or know of no time that a kernel took."""
    told = not seen.unrecorded and any(kernel.total_us > 0.0 for kernel in seen.kernels)
    return not (seen.reason or told)


def _unrecorded(line: str) -> int:
    name, _, count = line.partition("\t")
    return int(count) if name == UNRECORDED and count.isdigit() else 0


def _kernel(line: str, library: Mapping[str, str]) -> KernelSeen | None:
    """One line of the child's; None where it is none of ours."""
    parts = line.split("\t")
    if len(parts) != _FIELDS or not all(part.isdigit() for part in parts[1:5]):
        return None
    launches, spent_ns, registers, shared = map(int, parts[1:5])
    codes = tuple(code for code in parts[7].split(",") if code)
    return KernelSeen(
        name=parts[0],
        launches=launches,
        total_us=spent_ns / 1e3,
        registers=registers,
        shared_bytes=shared,
        grid=parts[5],
        block=parts[6],
        codes=codes,
        library_code=next((library[code] for code in codes if code in library), ""),
    )
