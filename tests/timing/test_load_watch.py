"""The machine's load as the kernel tells it, whatever it is at the moment."""

from __future__ import annotations

import os

from assay.timing.load_watch import LoadWatch


def test_shares_are_shares() -> None:
    watch = LoadWatch()
    for _ in range(3):
        watch.look()
    load = watch.load([0.1, 0.2, 0.9])
    assert load.waited == 0.2 and load.processors == len(os.sched_getaffinity(0))
    for share in (load.stolen, load.pressure):
        assert share is None or 0.0 <= share <= 1.0
    assert load.others is None or load.others >= 0.0


def test_without_rounds_nobody_waited() -> None:
    assert LoadWatch().load([]).waited == 0.0
