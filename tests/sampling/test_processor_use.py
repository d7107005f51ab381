"""Samples stand for processor time: a thread that gets none is no sample."""

from __future__ import annotations

import pytest

from assay.sampling.processor_use import ProcessorUse

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
