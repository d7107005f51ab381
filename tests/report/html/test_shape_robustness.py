"""Which categories a shape counts in."""

from __future__ import annotations

import pytest

from assay.report.html.shape_robustness import categories_of


@pytest.mark.parametrize(
    ("axes", "found"),
    [
        ({}, ()),
        ({"n": 1}, ("tiny", "power of two")),
        ({"n": 31}, ("tiny", "no power of two")),
        ({"rows": 4, "cols": 100}, ("small", "no power of two", "rectangular")),
        ({"rows": 256, "cols": 256}, ("medium", "power of two", "square")),
        ({"rows": 0, "cols": 70000}, ("large", "no power of two", "rectangular")),
    ],
)
def test_categories(axes: dict[str, int], found: tuple[str, ...]) -> None:
    assert tuple(category.value for category in categories_of(axes)) == found
