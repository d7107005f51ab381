"""The line that a piece of evidence names, and when it names none."""

from __future__ import annotations

import pytest

from assay.data.candidate import Candidate, SourceFile
from assay.report.html.source_marks import marked
from sample_records import WRONG

ALONE = Candidate(
    name="mine/soft:max.py", language="torch", sources=(SourceFile(path="kernel.py", text="a\nb"),)
)
FOLDER = Candidate(
    name="mine/",
    language="cuda",
    sources=(SourceFile(path="kernel.py", text="a"), SourceFile(path="k.cu", text="a\nb\nc")),
)


@pytest.mark.parametrize(
    ("candidate", "where", "place"),
    [
        (ALONE, "mine/soft:max.py:2", (0, 2)),
        (ALONE, "kernel.py:1", (0, 1)),
        (ALONE, "kernel.py:3", (None, None)),
        (ALONE, "other.py:1", (None, None)),
        (ALONE, "output[0, 3]", (None, None)),
        (ALONE, "kernel.py:²", (None, None)),
        (FOLDER, "mine/k.cu:3", (1, 3)),
        (FOLDER, "mine/:1", (None, None)),
    ],
)
def test_places(candidate: Candidate, where: str, place: tuple[int | None, int | None]) -> None:
    found = marked(WRONG.model_copy(update={"where": where}), candidate)
    assert (found.file, found.line) == place
    assert found.found.where == where
