"""Audit events: what the interpreter was asked by candidate code, and what each says.

The rule: what no kernel has a reason for convicts (another process's memory, secrets, writing into
folders it does not own, the network, forks, signals, the collector); an odd read or listing, which
a build may do, is suspicious.
"""

from __future__ import annotations

import re

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import StateSeen
from assay.source_analysis.tables.known_paths import PathMeaning, meaning_of_read

PREFIX = "audit."
_NOTE, _SUSPICIOUS, _CONVICTS = Severity.NOTE, Severity.SUSPICIOUS, Severity.CONVICTS

_EVENTS: dict[str, tuple[Severity, str]] = {
    "write": (_CONVICTS, "wrote to a file outside its scratch folder"),
    "socket": (_CONVICTS, "used the network"),
    "fork": (_CONVICTS, "forked its process"),
    "kill": (_CONVICTS, "signalled a process"),
    "gc": (_CONVICTS, "searched other code's objects through the collector"),
    "trace": (_CONVICTS, "installed a hook that watches other code run"),
    "frames": (_SUSPICIOUS, "took hold of the interpreter's frames"),
    "exec": (_SUSPICIOUS, "ran a program that is no compiler"),
    "list": (_SUSPICIOUS, "listed a folder outside what a kernel needs"),
}
_BUILD_PROGRAMS = frozenset(  # what build scripts and device queries run
    """which where uname lscpu nproc ldd ldconfig nm objdump file strip ninja make cmake nvidia-smi
    rocminfo rocm-smi hipconfig clinfo getconf llc opt ptxas cuobjdump nvdisasm ld lld ar ranlib
    true echo mkdir""".split()
)
_SHELLS = frozenset("sh bash dash env None -c".split())
_HOLDING_OWN_FRAME = "after the build"  # `inspect.currentframe()` at import finds one's own folder


def classify_audit(change: StateSeen) -> Evidence:
    """What one audit event says. Testimony of the child: it may convict and never acquits."""
    event = change.name.removeprefix(PREFIX)
    severity, text = _meaning(event, change)
    detail = f" ({change.detail})" if change.detail else ""
    return Evidence(
        kind=EvidenceKind.REACHED_OUT,
        severity=severity,
        where=change.when,
        text=f"{change.name}{detail}: the candidate {text}.",
    )


def _meaning(event: str, change: StateSeen) -> tuple[Severity, str]:
    if event in ("read", "list"):
        return _of_path(event, change.detail)
    if event == "frames" and change.when == _HOLDING_OWN_FRAME:
        return _NOTE, "took hold of a frame while it was built; finding one's own folder does"
    if event == "exec" and _program(change.detail) in _BUILD_PROGRAMS:
        return _NOTE, "ran a program that builds ask"
    return _EVENTS.get(event, (_SUSPICIOUS, "asked the interpreter for something unusual"))


def _program(detail: str) -> str:
    """The program an audit line names, behind the shell that may start it."""
    words = [word.rsplit("/", 1)[-1] for word in re.findall(r"[\w./+-]+", detail)]
    return next((word for word in words if word not in _SHELLS), "")


def _of_path(event: str, path: str) -> tuple[Severity, str]:
    done = "read" if event == "read" else "listed"
    meaning = meaning_of_read(path)
    if meaning is PathMeaning.SECRET:
        return _CONVICTS, f"{done} what holds secrets or another process's memory"
    if meaning is PathMeaning.MACHINE:
        return _NOTE, f"{done} facts about the machine"
    return _SUSPICIOUS, f"{done} something outside what a kernel needs"
