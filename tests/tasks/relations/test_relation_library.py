"""What the relations of the library do to rows."""

from __future__ import annotations

import random

import pytest
import torch

from assay.tasks.relations.relation_library import row_relations


@pytest.mark.parametrize("seed", range(12))
def test_rows_are_never_permuted_into_the_order_that_they_have(seed: int) -> None:
    """Of three rows one draw in six would be, and then nothing is demanded."""
    rows = torch.arange(3.0)
    (permuted, *_) = row_relations([0], 3, 1, random.Random(seed))
    assert permuted.name == "permuted" and not torch.equal(permuted.transform([rows])[0], rows)
