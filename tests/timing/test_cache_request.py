"""What was asked of the caches, and when a reader is told that it could not be had."""

from __future__ import annotations

from assay.data.device import CacheSizes, Device
from assay.data.settings import Cache
from assay.timing.cache_request import cache_remarks, place_remarks, warm_or_not

DEVICE = Device(
    kind="cuda",
    name="x",
    architecture="",
    cores=1,
    memory_bytes=1,
    caches=CacheSizes(llc_bytes=1000),
)


def test_both_is_cold_and_then_warm() -> None:
    assert [warm_or_not(asked) for asked in Cache] == [(False,), (True,), (False, True)]


def test_two_states_that_are_one_are_remarked() -> None:
    assert cache_remarks(Cache.BOTH, "warm", warm=False)
    assert not cache_remarks(Cache.BOTH, "cold", warm=False)
    assert not cache_remarks(Cache.BOTH, "warm", warm=True)


def test_a_call_larger_than_the_cache_is_remarked_at_one_place_only() -> None:
    assert place_remarks(DEVICE, 1001, warm=True)
    assert not place_remarks(DEVICE, 1001, warm=False) and not place_remarks(DEVICE, 9, warm=True)
