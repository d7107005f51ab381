"""LocalPool: several pieces of work at a time on this machine, results in the order given."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

T = TypeVar("T")


def in_order(work: Sequence[Callable[[], T]], jobs: int) -> Iterator[T]:
    """Run at most `jobs` at once; each piece waits on sandboxed processes, so threads do."""
    if jobs <= 1 or len(work) <= 1:
        for piece in work:
            yield piece()
        return
    pool = ThreadPoolExecutor(max_workers=jobs)
    try:
        for future in [pool.submit(piece) for piece in work]:
            yield future.result()
    finally:
        pool.shutdown(wait=False, cancel_futures=True)
