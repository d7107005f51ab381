"""A claim with its floors and its verdict put together."""

from __future__ import annotations

from assay.data.device import Device
from assay.data.published.recheck import Claim, ClaimMark
from assay.data.verdict import Status
from assay.engine.claims.claim_findings import ClaimChecker, incomparable, is_same_device
from assay.engine.claims.claim_list import ReadClaim
from assay.tasks.catalog import resolve
from sample_records import DEVICE, TIMING, verdict

H200 = Device(kind="cuda", name="NVIDIA H200", architecture="9.0", cores=132, memory_bytes=2**37)


def claim(**figures: object) -> Claim:
    return Claim.model_validate({"number": 1, "where": "a.csv:2", "task": "softmax"} | figures)


def test_the_device_here_by_its_kind_its_name_or_its_board() -> None:
    for name in ("", "cuda", "nvidia  h200", "H200", "h200"):
        assert is_same_device(name, H200), name
    for name in ("cpu", "H100", "H200 NVL", "RTX 5090", "abacus"):
        assert not is_same_device(name, H200), name
    assert is_same_device("cpu", DEVICE) and not is_same_device("abacus", DEVICE)


def test_speeds_of_another_device_or_other_sizes_are_not_comparable() -> None:
    assert incomparable(claim(), DEVICE) == ""
    assert "H100" in incomparable(claim(device="H100"), DEVICE)
    assert "rows=4" in incomparable(claim(sizes={"rows": 4}), DEVICE)


def test_floors_come_from_the_task_at_the_claimed_sizes() -> None:
    task, checker = resolve("softmax"), ClaimChecker()
    small = claim(device="RTX 5090", time_us=20.0)
    large = claim(device="RTX 5090", time_us=20.0, sizes={"rows": 65536, "cols": 4096})
    unknown = claim(device="RTX 5090", time_us=20.0, sizes={"depth": 7})
    marks = [checker.check(ReadClaim(one, task), None).mark for one in (small, large, unknown)]
    assert marks == [ClaimMark.UNKNOWN, ClaimMark.IMPOSSIBLE, ClaimMark.UNKNOWN]


def test_a_speedup_is_held_to_the_baseline_measured_on_the_claimed_device() -> None:
    fast = verdict(Status.ACCEPTED, timing=(TIMING,))
    environment = fast.environment.model_copy(update={"device": H200})
    here = fast.model_copy(update={"environment": environment})
    said = ReadClaim(claim(device="H200", speedup=5000.0), resolve("softmax"))
    found = ClaimChecker().check(said, here, entry=3)
    assert found.mark is ClaimMark.IMPOSSIBLE and found.entry == 3
    assert [one.mark for one in found.findings][1] is ClaimMark.OVERSTATED
    assert ClaimChecker().check(said, fast).mark is ClaimMark.UNKNOWN
