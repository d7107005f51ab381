"""Zeros that fill a part which a short look takes for the whole."""

from __future__ import annotations

import torch

from assay.tasks.values.zero_structures import padded_rows, zero_places

SHAPE = torch.Size((48, 48))


def _seeded(seed: int) -> torch.Generator:
    return torch.Generator().manual_seed(seed)


def test_some_rows_begin_with_zeros_some_end_with_them_and_none_is_empty() -> None:
    zero = padded_rows(torch.Size((64, 96)), _seeded(3))
    assert not zero.all(dim=1).any()
    assert zero[:, 0].any() and zero[:, -1].any() and not (zero[:, 0] & zero[:, -1]).any()
    assert zero[:, :48].all(dim=1).any()


def test_a_zero_corner_promises_no_triangle() -> None:
    found = [zero_places(SHAPE, _seeded(seed)) for seed in range(40)]
    lower = torch.ones(SHAPE).tril(-1).bool()
    for turned in (lambda x: x, lambda x: x.T):
        corner = [turned(zero)[-4:, :4].all() for zero in found]
        whole = [turned(zero)[lower].all() for zero in found]
        misled = sum(bool(a and not b) for a, b in zip(corner, whole, strict=True))
        assert misled >= 8 and any(whole)


def test_every_shape_has_places() -> None:
    for shape in ((), (1,), (7,), (1, 1), (0, 3), (2, 3, 1, 5)):
        for seed in range(8):
            assert zero_places(torch.Size(shape), _seeded(seed)).shape == shape
