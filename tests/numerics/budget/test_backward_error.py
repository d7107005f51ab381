"""Decompositions that are computed with: a stable algorithm is right, three digits are not."""

from __future__ import annotations

from collections.abc import Callable

import pytest
import torch

from assay.numerics.budget.backward_error import stable_roundings
from assay.numerics.expectation import compare
from support.references import expected

Function = Callable[[torch.Tensor], torch.Tensor]


def matrices(size: int) -> torch.Tensor:
    made = torch.randn(5, size, size, generator=torch.Generator().manual_seed(size))
    return made @ made.transpose(-2, -1) / size + torch.eye(size)


def rotations(a: torch.Tensor, sweeps: int = 6) -> tuple[torch.Tensor, torch.Tensor]:
    """Cyclic Jacobi; those of two sweeps grow by two roundings each, as on some devices all do."""
    size = a.shape[-1]
    a, vectors = a.clone(), torch.eye(size, dtype=a.dtype).expand(a.shape).clone()
    for sweep in range(sweeps):
        grown = 1 + 2.0**-23 * (sweep in (1, 3))
        for p in range(size - 1):
            for q in range(p + 1, size):
                theta = 0.5 * torch.atan2(2 * a[:, p, q], a[:, q, q] - a[:, p, p])
                c, s = (f(theta).mul(grown)[:, None] for f in (torch.cos, torch.sin))
                for made, dim in ((a, 2), (a, 1), (vectors, 2)):
                    x, y = made.select(dim, p).clone(), made.select(dim, q).clone()
                    made.select(dim, p).copy_(c * x - s * y)
                    made.select(dim, q).copy_(s * x + c * y)
    return a.diagonal(dim1=-2, dim2=-1), vectors


def eigenvalues(a: torch.Tensor) -> torch.Tensor:
    return torch.linalg.eigvalsh(a)


def cubed(a: torch.Tensor) -> torch.Tensor:
    values, vectors = torch.linalg.eigh(a)
    return (vectors * values.pow(3).unsqueeze(-2)) @ vectors.transpose(-2, -1)


def eigenvalues_by_rotations(a: torch.Tensor) -> torch.Tensor:
    return rotations(a)[0].sort(dim=-1).values


def cubed_by_rotations(a: torch.Tensor) -> torch.Tensor:
    values, vectors = rotations(a)
    return (vectors * values.pow(3).unsqueeze(-2)) @ vectors.transpose(-2, -1)


def largest(a: torch.Tensor) -> torch.Tensor:
    return torch.linalg.eigvalsh(a).abs().amax(dim=-1)


def rebuilt(a: torch.Tensor) -> torch.Tensor:
    u, s, vh = torch.linalg.svd(a)
    return 0.5 * (u * s.unsqueeze(-2)) @ vh


@pytest.mark.parametrize(
    ("reference", "kernel"),
    [(eigenvalues, eigenvalues_by_rotations), (cubed, cubed_by_rotations)],
)
def test_rotations_that_lean_to_one_side_are_right(reference: Function, kernel: Function) -> None:
    given = matrices(12)
    found = compare(expected(reference, given), kernel(given))
    assert found.ok, found.text


@pytest.mark.parametrize("reference", [eigenvalues, cubed, largest, rebuilt])
@pytest.mark.parametrize("size", [2, 12, 48])
def test_three_digits_are_wrong(reference: Function, size: int) -> None:
    given = matrices(size)
    expectation = expected(reference, given)
    assert compare(expectation, reference(given)).ok
    assert not compare(expectation, reference(given) * 1.001).ok
    assert not compare(expectation, reference(given) * 0.999).ok


@pytest.mark.parametrize("reference", [eigenvalues, cubed, rebuilt])
def test_eleven_bits_are_wrong(reference: Function) -> None:
    given = matrices(24)
    short = (given * 2.0**10).round() / 2.0**10
    assert not compare(expected(reference, given), reference(short)).ok


def test_an_empty_batch_has_an_expectation() -> None:
    given = torch.zeros(0, 4, 4)
    assert compare(expected(eigenvalues, given), eigenvalues(given)).ok


def radius(a: torch.Tensor) -> torch.Tensor:
    return torch.linalg.eigvals(a).abs().amax(dim=-1)


@pytest.mark.parametrize("size", [3, 16, 64])
def test_the_radius_of_a_neighbour_is_right_and_three_digits_are_wrong(size: int) -> None:
    given = torch.rand(9, size, size, generator=torch.Generator().manual_seed(size))
    expectation = expected(radius, given)
    norm = torch.linalg.matrix_norm(given.double(), 2)
    off = 0.25 * stable_roundings(size) * 2.0**-24 * norm
    assert 0.05 < (compare(expectation, (expectation.truth + off).float()).budget_used or 0.0) < 1
    assert not compare(expectation, radius(given) * 1.001).ok
