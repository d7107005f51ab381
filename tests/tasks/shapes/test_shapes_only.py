"""Shapes only: what a task's inputs would be like, at no cost."""

import subprocess
import sys

import pytest
import torch

from assay.tasks.shapes.shapes_only import (
    ChecksHold,
    NamedOnMeta,
    ShapesOnly,
    SizeLimit,
    TooLarge,
)

LARGE = (1 << 12, 1 << 12)


def test_a_modest_factory_gives_one_element_seen_as_many():
    with ShapesOnly(limit=100):
        made = torch.randn(4, 5)
    assert made.shape == (4, 5)
    assert made.untyped_storage().nbytes() == 4


@pytest.mark.parametrize("limit", [0, 100])
def test_an_empty_one_is_real(limit):
    with ShapesOnly(limit):
        assert not torch.randn(0, 3).is_meta


@pytest.mark.parametrize(
    ("work", "shape", "dtype"),
    [
        (lambda a, b: a + b, LARGE, torch.float32),
        (lambda a, b: a * 2 + 1, LARGE, torch.float32),
        (lambda a, b: a[:1] - b[:, :1], LARGE, torch.float32),
        (lambda a, b: a / 3, LARGE, torch.float32),
        (lambda a, b: torch.where(a > 0, a.double(), b), LARGE, torch.float64),
        (lambda a, b: a > b, LARGE, torch.bool),
        (lambda a, b: (a + a.mT).abs().sqrt(), LARGE, torch.float32),
        (lambda a, b: torch.clamp(a, min=0.5), LARGE, torch.float32),
    ],
)
def test_arithmetic_on_large_ones_has_the_right_shape_and_dtype(work, shape, dtype):
    with ShapesOnly(limit=100):
        made = work(torch.rand(LARGE), torch.randn(*LARGE))
    assert made.is_meta
    assert (tuple(made.shape), made.dtype) == (shape, dtype)


def test_integers_divided_are_floats():
    with ShapesOnly(limit=100):
        assert (torch.randint(0, 9, LARGE) / 2).dtype == torch.float32


def test_what_works_in_place_is_left_to_torch():
    with ShapesOnly(limit=100):
        given = torch.zeros(LARGE)
        assert given.add_(1) is given


def test_arithmetic_on_large_ones_does_not_load_a_compiler():
    code = (
        "import sys, torch\n"
        "from assay.tasks.shapes.shapes_only import ShapesOnly\n"
        "with ShapesOnly(limit=100):\n"
        "    a = torch.randn(4096, 4096)\n"
        "    (a + a.mT) / 2\n"
        "assert 'torch._dynamo' not in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_square_matrices_of_one_size_or_one_vector_are_factories_too() -> None:
    large = 1 << 16
    with ShapesOnly(0):
        assert torch.eye(large).shape == (large, large) and torch.eye(3, 5).shape == (3, 5)
        diagonal = torch.diag(torch.rand(large, dtype=torch.float64))
        assert diagonal.shape == (large, large) and diagonal.dtype is torch.float64
    for make in (lambda: torch.eye(large), lambda: torch.diag(torch.ones(large))):
        with SizeLimit(1 << 20, 1 << 30), pytest.raises(TooLarge):
            make()


def test_a_check_of_values_holds_where_there_are_none():
    empty, real = torch.empty(3, 3, device="meta"), torch.eye(3)
    with ChecksHold():
        assert torch.allclose(empty, empty.mT) and torch.equal(empty, real)
        assert not torch.allclose(real, 2 * real) and not torch.equal(real, 2 * real)


def test_a_device_that_is_named_makes_no_values_on_meta() -> None:
    generator = torch.Generator(device="cpu")
    with torch.device("meta"), NamedOnMeta():
        made = torch.randn(1 << 20, 1 << 20, device="cpu", generator=generator)
        assert made.is_meta and torch.randn(3, device="cpu").is_meta
