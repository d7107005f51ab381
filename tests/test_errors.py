"""Errors of the system, in words."""

from __future__ import annotations

import pytest

from assay.errors import reason_of


@pytest.mark.parametrize(
    ("error", "words"),
    [
        (FileNotFoundError(2, "No such file or directory", "a.py"), "No such file or directory"),
        (OSError("no number"), "no number"),
        (ValueError("first\nsecond"), "first"),
        (ValueError(), "ValueError"),
    ],
)
def test_a_reason_has_neither_number_nor_path(error: Exception, words: str) -> None:
    assert reason_of(error) == words
