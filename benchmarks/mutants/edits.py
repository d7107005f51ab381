"""Edits: every fault the mutators and the recipes find in one kernel."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutants import (
    cpp_accumulation,
    cpp_functions,
    cpp_loops,
    cpp_values,
    module_faults,
    python_loops,
    python_values,
    triton_blocks,
)
from mutants.cpp_region import regions
from mutants.edit import Edit, Splice
from mutants.kernel import Kernel
from mutants.python_source import PythonSource
from mutants.recipes import recipes_for

CPP = (
    *cpp_loops.MUTATORS,
    *cpp_accumulation.MUTATORS,
    *cpp_values.MUTATORS,
    *cpp_functions.MUTATORS,
)
PYTHON = (
    *python_loops.MUTATORS,
    *python_values.MUTATORS,
    *triton_blocks.MUTATORS,
    *module_faults.MUTATORS,
)
_OPTIMISED = re.compile(r"[\"']-O[0-3s]\w*[\"']")


def edits(kernel: Kernel) -> Iterator[Edit]:
    """Faults in its C++, in its Python, and those written by hand for it."""
    for region in regions(kernel.text):
        unused = region.unused(kernel.text)
        for edit in (edit for mutate in CPP for edit in mutate(region)):
            if not _lies_in(edit, unused):
                moved = edit.moved(region.offset)
                yield from _threaded(kernel.text, moved) if edit.kind == "race" else [moved]
    source = PythonSource(kernel.text)
    for change in PYTHON:
        yield from change(source)
    yield from recipes_for(kernel)


def _lies_in(edit: Edit, spans: list[tuple[int, int]]) -> bool:
    last = max(splice.start for splice in edit.splices)
    return any(start <= last <= end for start, end in spans)


def _threaded(text: str, edit: Edit) -> Iterator[Edit]:
    """The edit with the compiler told to honour it; none where no flags are found."""
    flag = _OPTIMISED.search(text)
    if flag is not None:
        added = Splice(flag.end(), flag.end(), ', "-fopenmp"')
        yield Edit(edit.kind, (*edit.splices, added))
