"""Built objects: what the symbols of a candidate's shared objects say.

The rule: a symbol shows that code can call a library, not that it does. So a library computation
that an object needs is a note where sampling from outside has shown whose code runs, and suspicious
where it has not; an object that offers a library's computations itself is a copy of that library,
and convicts.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import BuiltObject, ObjectsSeen
from assay.data.settings import Track

COPY_OFFERS = 10  # distinct BLAS or ATen computations; no kernel offers one under such a name
_NAMED = 4
# What Triton compiles to launch a kernel: it finds the driver at run time.
_LAUNCHER = re.compile(r"home/triton/\w+/(?:__triton_launcher|cuda_utils)\.[\w.-]+\.so")
_LAUNCHERS_NEED = {"dlsym", "dlopen", "dlclose"}
# nvcc links a runtime that finds the driver by them.
_LOOKUPS = frozenset(("dlsym", "dlvsym", "dl_iterate_phdr"))


def findings(
    seen: ObjectsSeen, track: Track, acquitted: bool, recorded: bool = False
) -> Iterator[Evidence]:
    """`acquitted`: sampling has shown that the computing is the candidate's own.

    `recorded`: a device has named the kernels that ran, whoever looked them up; there a lookup by
    itself says nothing.
    """
    if track is not Track.KERNEL:
        return
    if seen.reason:
        text = f"the objects it built could not be read: {seen.reason}"
        yield Evidence(kind=EvidenceKind.UNKNOWN, severity=Severity.NOTE, text=text)
    for built in seen.objects:
        if _LAUNCHER.fullmatch(built.path) and set(built.needs) <= _LAUNCHERS_NEED:
            continue
        needs = tuple(name for name in built.needs if not (recorded and name in _LOOKUPS))
        yield from _of_object(built.model_copy(update={"needs": needs}), acquitted)


def _of_object(built: BuiltObject, acquitted: bool) -> Iterator[Evidence]:
    if built.problem:
        text = f"an object of {built.bytes >> 10} KiB that it brought or built is {built.problem}"
        yield _delegation(Severity.SUSPICIOUS, built.path, text)
    if len(built.offers) >= COPY_OFFERS:
        text = f"a copy of a compute library: it offers {_list(built.offers)}"
        yield _delegation(Severity.CONVICTS, built.path, text)
    if built.needs:
        text = f"the object is linked to library computations: {_list(built.needs)}"
        yield _delegation(Severity.NOTE if acquitted else Severity.SUSPICIOUS, built.path, text)


def _list(names: tuple[str, ...]) -> str:
    more = f" and {len(names) - _NAMED} more" if len(names) > _NAMED else ""
    return ", ".join(names[:_NAMED]) + more


def _delegation(severity: Severity, where: str, text: str) -> Evidence:
    return Evidence(kind=EvidenceKind.DELEGATION, severity=severity, where=where, text=text)
