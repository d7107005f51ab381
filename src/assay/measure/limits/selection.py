"""Selection: operations whose result need not depend on all that they are given.

The rule: which elements a mask selects is not known without values, so the fewest that it could
are counted. Of a triangle only the elements inside it are read, of a table those looked up.
"""

from __future__ import annotations

from collections.abc import Sequence

import torch

from assay.measure.limits.work import distinct

_LOOK_UPS = ("embedding", "index_select", "index", "gather", "take")
_TRIANGLES = ("tril", "triu")
_MASKED = ("masked_fill", "masked_select")


def fewest_read(
    name: str, taken: Sequence[torch.Tensor], made: Sequence[torch.Tensor], diagonal: object = 0
) -> dict[int, int]:
    """By the place of a tensor, how many of its elements must be read; others in full."""
    if name in _LOOK_UPS:
        return {0: sum(tensor.numel() for tensor in made)}
    if name in _TRIANGLES and isinstance(diagonal, int):
        return {0: triangle(taken[0], name == "triu", diagonal)}
    if name in _MASKED:
        return {0: 0}
    if name == "where" and len(taken) == 3:
        costs = {place: distinct(taken[place]) * taken[place].element_size() for place in (1, 2)}
        return {max(costs, key=costs.__getitem__): 0}  # every element may come from the other
    return {}


def triangle(matrix: torch.Tensor, upper: bool, diagonal: int) -> int:
    """Elements of the last two dimensions on one side of a diagonal, in all matrices."""
    rows, columns = matrix.shape[-2:]
    lower = sum(min(columns, max(0, row + diagonal + 1 - upper)) for row in range(rows))
    kept = rows * columns - lower if upper else lower
    return kept * (distinct(matrix) // max(1, rows * columns))
