"""One batch among the timed ones whose kernels are recorded."""

from __future__ import annotations

import random
from typing import Any, cast

import pytest

from assay.data.observations.kernels import KernelsSeen
from assay.data.observations.observation import CheckMissing
from assay.data.settings import Track
from assay.exam.device_code import recorded_batch
from assay.exam.device_code.recorded_batch import RecordedBatch
from assay.sandbox.protocol.replies import FAILED, MARKED

LINE = "\t".join(("vendor_gemm", "7", "70000", "32", "0", "1x1x1", "32x1x1", "abc"))


@pytest.fixture(autouse=True)
def _library(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded_batch, "library_code", lambda *_: {"abc": "gemm_of_a_library"})


def _made(*said: str, track: Track = Track.KERNEL) -> list[KernelsSeen | CheckMissing]:
    """By what the logs of two processes say in turn."""
    left = list(said)
    batch = RecordedBatch(10, random.Random(3), track)
    if any(batch.is_due(timed) for timed in range(10)):
        batch.make([lambda: left.pop(0)] * 2, 7, cast(Any, None), cast(Any, None))
        assert not any(batch.is_due(timed) for timed in range(99))
    assert not left
    return batch.seen


def test_each_process_is_recorded_once_at_a_secret_round() -> None:
    found = _made(f"{MARKED}\n{LINE}", f"{MARKED}\n{LINE}")
    assert len(found) == 2
    for seen in found:
        assert isinstance(seen, KernelsSeen) and seen.calls == 7
        assert seen.kernels[0].library_code == "gemm_of_a_library"
    begins = {RecordedBatch(10, random.Random(n), Track.KERNEL)._at for n in range(99)}
    assert begins == set(range(10))


def test_where_the_recorder_fails_it_is_asked_again_and_unknown_never_passes() -> None:
    missing, failed = _made(*[""] * 3, f"{FAILED}\tno CUPTI")
    assert isinstance(missing, CheckMissing) and missing.essential
    assert isinstance(failed, KernelsSeen) and failed.reason == "no CUPTI"


def test_where_libraries_may_do_everything_nothing_is_recorded() -> None:
    assert _made(track=Track.OPEN) == []
