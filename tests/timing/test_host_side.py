"""For how long a batch waited for a processor, from what the scheduler says of its threads."""

from __future__ import annotations

from assay.sandbox.host.activity import Scheduled
from assay.timing.host_side import waited_ns

BATCH_NS = 10_000_000


def test_the_thread_that_waited_most_counts() -> None:
    before = {"main": Scheduled(100, 50), "worker": Scheduled(100, 10)}
    after = {"main": Scheduled(9_000_100, 1_000_050), "worker": Scheduled(8_000_100, 2_000_010)}
    assert waited_ns(before, after, BATCH_NS) == 2_000_000


def test_an_idle_thread_that_queues_delays_nobody() -> None:
    after = {"main": Scheduled(9_000_000, 1000), "idle": Scheduled(30_000, 7_000_000)}
    assert waited_ns({}, after, BATCH_NS) == 1000


def test_a_tree_that_is_gone_waited_for_nothing() -> None:
    assert waited_ns({"main": Scheduled(1, 1)}, {}, BATCH_NS) == 0
