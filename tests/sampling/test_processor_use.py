"""Samples stand for processor time: a thread that gets none is no sample."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from assay.sampling.processor_use import ProcessorUse, processor_ns, processors_ns

MS = 1_000_000


def test_the_share_is_what_was_used_since_the_last_look() -> None:
    use = ProcessorUse()
    use.note(1, 50 * MS, 1000 * MS)
    assert use.share(1) == 1.0  # an old thread at its first look
    use.note(1, 50 * MS, 1002 * MS)
    assert use.share(1) == 0.0  # ready all the time, and no processor
    use.note(1, 51 * MS, 1004 * MS)
    assert use.share(1) == pytest.approx(0.5)
    use.note(1, 54 * MS, 1006 * MS)
    assert use.share(1) == 1.0  # never more


def test_a_thread_that_began_just_now_has_used_little() -> None:
    use = ProcessorUse()
    use.note(1, MS // 4, 1000 * MS)
    assert use.share(1) == pytest.approx(0.2)


def test_all_count_where_the_kernel_does_not_say() -> None:
    use = ProcessorUse()
    use.note(1, None, MS)
    assert use.share(1) == use.share(2) == 1.0


def test_beside_busy_processes_every_thread_that_works_counts() -> None:
    use = ProcessorUse()
    for number in range(1, 4):
        for tid, ran in ((1, 100_000), (2, 100_000), (3, 5_000)):
            use.note(tid, number * ran, number * 1_000_000)
    assert use.weight(1) == use.weight(2) == 1.0
    assert use.weight(3) < 0.1


def test_a_thread_that_was_busy_long_ago_lowers_nobody() -> None:
    use = ProcessorUse()
    use.note(1, 1_000_000, 1_000_000)
    use.note(1, 2_000_000, 2_000_000)
    use.note(2, 0, 900_000_000)
    use.note(2, 100_000, 901_000_000)
    assert use.weight(2) == 1.0


def test_a_sample_stands_for_the_processor_time_of_the_busiest() -> None:
    use = ProcessorUse()
    for number in range(1, 4):
        use.note(1, number * MS // 4, number * MS)
        use.note(2, number * MS // 8, number * MS)
    assert use.busiest(2) == pytest.approx(0.25)
    assert use.weight(2) * use.busiest(2) == pytest.approx(use.share(2))


def test_children_that_have_ended_count_with_their_parent() -> None:
    before_ns, own_ns = processors_ns([os.getpid()]), processor_ns(os.getpid())
    burning = "import time\nwhile time.process_time() < 0.1: pass"
    subprocess.run([sys.executable, "-S", "-c", burning], check=True)
    own_ns = processor_ns(os.getpid()) - own_ns
    assert processors_ns([os.getpid()]) - before_ns >= own_ns + 80 * MS
    assert processors_ns([]) == 0
