"""What of a call's result is handed over."""

from __future__ import annotations

from assay.sandbox.child.batch import flatten


def test_a_python_number_is_handed_over_as_a_tensor() -> None:
    assert [leaf.item() for leaf in flatten((1.5, [True, None, 3]))] == [1.5, True, 3]
