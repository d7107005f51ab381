"""Zero structures: the places of the zeros of padded rows and of banded, blocked and cut matrices.

The rule: a kernel may look at a few elements and take a shortcut for what they promise: an empty
row, a triangular matrix. So the zeros of a draw fill a part that such a look takes for the whole.
"""

from __future__ import annotations

from collections.abc import Callable

import torch

_PADDED_SHARE = 0.5  # of the rows
_SCATTERED_SHARE = 1 / 3  # of the rows
_SCATTERED = 0.5  # of their elements
_NO_BAND = 4  # one in so many sides of a band has no width: triangular and diagonal matrices


def padded_rows(shape: torch.Size, generator: torch.Generator) -> torch.Tensor:
    """True where a row is padded, on the left or on the right; never all of a row."""
    length, heads = shape[-1], (*shape[:-1], 1)
    count = (torch.rand(heads, generator=generator) * length).long()
    left = torch.rand(heads, generator=generator) < 0.5
    padded = torch.rand(heads, generator=generator) < _PADDED_SHARE
    place = torch.arange(length)
    return padded & torch.where(left, place < count, place >= length - count)


def scattered_places(shape: torch.Size, first: int, generator: torch.Generator) -> torch.Tensor:
    """True at about half of the places of a third of the rows, and of all in the slice `first`."""
    rows = torch.rand((*shape[:-1], 1), generator=generator) < _SCATTERED_SHARE
    rows[first] = True
    return rows & (torch.rand(shape, generator=generator) < _SCATTERED)


def zero_places(shape: torch.Size, generator: torch.Generator) -> torch.Tensor:
    """True at the zeros of one structure of the last two dimensions; a vector is padded."""
    if not shape:
        return torch.zeros(shape, dtype=torch.bool)
    if len(shape) < 2:
        return padded_rows(shape, generator)
    kinds: tuple[_Structure, ...] = (_outside_band, _outside_band, _corners, _beside_blocks)
    found = kinds[_below(len(kinds), generator)](shape[-2], shape[-1], generator)
    return found.expand(shape)


_Structure = Callable[[int, int, torch.Generator], torch.Tensor]


def _outside_band(rows: int, columns: int, generator: torch.Generator) -> torch.Tensor:
    """Of a band around the diagonal, each side of its own width."""
    below, above = (
        _below(1 + side // 2, generator) if _below(_NO_BAND, generator) else 0
        for side in (rows, columns)
    )
    distance = torch.arange(columns) - torch.arange(rows).view(-1, 1)
    return (distance < -below) | (distance > above)


def _corners(rows: int, columns: int, generator: torch.Generator) -> torch.Tensor:
    """One or more corners, up to half of each side."""
    found = torch.zeros(rows, columns, dtype=torch.bool)
    chosen = 1 + _below(15, generator)  # a bit for each corner, at least one of them
    for corner in range(4):
        if chosen >> corner & 1:
            high, wide = (1 + _below(max(1, side // 2), generator) for side in (rows, columns))
            down = slice(0, high) if corner & 1 else slice(rows - high, rows)
            across = slice(0, wide) if corner & 2 else slice(columns - wide, columns)
            found[down, across] = True
    return found


def _beside_blocks(rows: int, columns: int, generator: torch.Generator) -> torch.Tensor:
    """What lies outside two to four blocks along the diagonal."""
    blocks = 2 + _below(3, generator)
    row_block = torch.arange(rows) * blocks // max(1, rows)
    column_block = torch.arange(columns) * blocks // max(1, columns)
    return row_block.view(-1, 1) != column_block


def _below(limit: int, generator: torch.Generator) -> int:
    return int(torch.randint(0, limit, (1,), generator=generator))
