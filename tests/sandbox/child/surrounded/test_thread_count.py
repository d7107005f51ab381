"""Thread count: one for everybody who computes, and back."""

from __future__ import annotations

import sys

import pytest

from assay.sandbox.child.surrounded.thread_count import thread_count


def test_numba_has_one_thread_too_where_it_has_a_pool(monkeypatch: pytest.MonkeyPatch) -> None:
    class Pool:
        _is_initialized = True
        count = 4

        def get_num_threads(self) -> int:
            return self.count

        def set_num_threads(self, count: int) -> None:
            self.count = count

    pool = Pool()
    monkeypatch.setitem(sys.modules, "numba.np.ufunc.parallel", pool)  # type: ignore[arg-type]
    with thread_count(True):
        assert pool.count == 1
    assert pool.count == 4
    pool._is_initialized = False
    with thread_count(True):
        assert pool.count == 4
