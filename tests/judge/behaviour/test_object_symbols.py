from __future__ import annotations

import pytest

from assay.data.evidence import EvidenceKind, Severity
from assay.data.observations.observation import BuiltObject, ObjectsSeen
from assay.data.settings import Track
from assay.judge.behaviour.object_symbols import COPY_OFFERS, findings

LINKED = BuiltObject(path="kernel.so", bytes=9000, needs=("at::matmul",))
COPY = BuiltObject(
    path="k.so", bytes=30 << 20, offers=tuple(f"cblas_{n}gemm" for n in range(COPY_OFFERS))
)
SPOILED = BuiltObject(path="k.so", bytes=9000, problem="unreadable: no header")
PLAIN = BuiltObject(path="k.so", bytes=9000, libraries=("libtorch_cpu.so",))


@pytest.mark.parametrize(
    ("built", "acquitted", "severity"),
    [
        (LINKED, True, Severity.NOTE),
        (LINKED, False, Severity.SUSPICIOUS),
        (COPY, True, Severity.CONVICTS),
        (SPOILED, True, Severity.SUSPICIOUS),
    ],
)
def test_what_an_object_says(built: BuiltObject, acquitted: bool, severity: Severity) -> None:
    (found,) = findings(ObjectsSeen(objects=(built,)), Track.KERNEL, acquitted)
    assert (found.kind, found.severity) == (EvidenceKind.DELEGATION, severity)


def test_being_linked_with_torch_says_nothing() -> None:
    assert not list(findings(ObjectsSeen(objects=(PLAIN,)), Track.KERNEL, False))


@pytest.mark.parametrize("track", [Track.MIXED, Track.OPEN])
def test_libraries_are_allowed_on_the_other_tracks(track: Track) -> None:
    assert not list(findings(ObjectsSeen(objects=(LINKED, COPY)), track, False))


def test_what_could_not_be_read_is_unknown() -> None:
    (found,) = findings(ObjectsSeen(reason="too many files"), Track.KERNEL, True)
    assert found.kind is EvidenceKind.UNKNOWN


def test_a_lookup_says_nothing_where_a_device_has_named_what_ran() -> None:
    runtime = BuiltObject(path="kernel.so", bytes=9000, needs=("dlsym", "dlvsym"))
    seen = ObjectsSeen(objects=(runtime,))
    assert [found.severity for found in findings(seen, Track.KERNEL, False)] == [
        Severity.SUSPICIOUS
    ]
    assert not list(findings(seen, Track.KERNEL, False, recorded=True))
    linked = ObjectsSeen(objects=(LINKED,))
    assert list(findings(linked, Track.KERNEL, False, recorded=True))
