"""Freed memory is taken again, and what imports made is never walked over."""

from __future__ import annotations

import gc
import platform
import subprocess
import sys

import pytest

from assay.judge_process.judge_memory import importing

_FAULTS = """
import resource
import torch
from assay.judge_process.judge_memory import keep_freed_memory
keep_freed_memory()
torch.set_num_threads(1)
kept = torch.ones(1 << 22, dtype=torch.float64)
make = lambda: (kept * 2.0, kept + 1.0)
for _ in range(30):  # the first ones find their places
    make()
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    make()
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


_HUGE_PAGES = 20 * 2 * 16  # one fault for each, were all of it new: there are no larger ones


@pytest.mark.skipif(
    platform.libc_ver()[0] != "glibc", reason="only glibc gives memory back so soon"
)
def test_what_is_freed_is_not_faulted_in_again() -> None:
    done = subprocess.run(
        [sys.executable, "-c", _FAULTS], capture_output=True, text=True, check=True
    )
    assert 4 * int(done.stdout) < _HUGE_PAGES


def test_what_was_made_while_importing_is_left_out_of_collections() -> None:
    before = gc.get_freeze_count()
    try:
        with importing("a module that is not there yet"):
            assert not gc.isenabled()
        assert gc.isenabled() and gc.get_freeze_count() > before
    finally:
        gc.unfreeze()


def test_after_the_import_everything_is_collected() -> None:
    before = gc.get_freeze_count()
    with importing("gc"):
        assert gc.isenabled()
    assert gc.get_freeze_count() == before


def test_collections_go_on_after_an_import_that_failed() -> None:
    try:
        with pytest.raises(ImportError), importing("a module that is not there yet"):
            raise ImportError("missing")
        assert gc.isenabled()
    finally:
        gc.unfreeze()
