"""Literal workloads: numbers of a candidate become sizes and values, likely ones first."""

from __future__ import annotations

import random

import torch

from assay.data.settings import Level
from assay.data.workload import Distribution
from assay.exam.workloads.literal_workloads import (
    LITERAL_AMOUNTS,
    LiteralWorkloads,
    wanted_sizes,
    wanted_values,
)
from assay.source_analysis.literals.source_literal import LiteralUse, SourceLiteral
from assay.tasks.catalog import resolve
from assay.tasks.references.reference import Reference
from assay.tasks.values.literal_values import with_literals

WIDTH = SourceLiteral(640, LiteralUse.COMPARED)
ROWS = SourceLiteral(70000, LiteralUse.COMPARED, strict=True)
BAND = SourceLiteral(3.7, LiteralUse.COMPARED)


def drawn(*literals: SourceLiteral, level: Level = Level.STANDARD) -> list[dict[str, int]]:
    workloads = LiteralWorkloads(
        Reference(resolve("softmax")), LITERAL_AMOUNTS[level], random.Random(3)
    )
    own = Reference(resolve("softmax")).own_workload()
    return [w.axes for w in workloads.draw(literals, [own]) if not w.values]


def test_a_number_meets_every_axis() -> None:
    found = drawn(WIDTH)
    assert any(axes["cols"] == 640 for axes in found)
    assert any(axes["rows"] == 640 for axes in found)


def test_a_number_of_rows_is_passed() -> None:
    assert any(axes["rows"] > 70001 and axes["cols"] > 1 for axes in drawn(ROWS, level=Level.QUICK))


def test_every_other_size_stands_in_a_single_row() -> None:
    widths = [SourceLiteral(300 + 7 * k, LiteralUse.COMPARED) for k in range(50)]
    found = [axes["rows"] for axes in drawn(*widths, level=Level.FULL)]
    assert found.count(1) >= 4 and len(found) - found.count(1) >= 4


def test_a_level_bounds_the_workloads() -> None:
    many = [SourceLiteral(300 + 7 * k, LiteralUse.COMPARED) for k in range(50)]
    assert len(drawn(*many, level=Level.QUICK)) == 3
    assert len(drawn(*many)) == 6


def test_compared_numbers_before_others_and_the_secret_decides_among_equals() -> None:
    plain = [SourceLiteral(1000 + k) for k in range(5)]
    assert wanted_sizes([*plain, WIDTH], random.Random(1))[0] == 640
    equal = [SourceLiteral(1000 + k, LiteralUse.COMPARED) for k in range(40)]
    first = [wanted_sizes(equal, random.Random(seed))[0] for seed in (1, 1, 2, 3)]
    assert first[0] == first[1]
    assert len(set(first)) > 1


def test_a_size_of_the_task_is_passed_before_other_numbers_are_asked() -> None:
    softmax = Reference(resolve("softmax"))
    held = SourceLiteral(softmax.own_axes["cols"], LiteralUse.PLAIN)
    others = [SourceLiteral(300 + 7 * k, LiteralUse.COMPARED) for k in range(50)]
    found = [axes["cols"] for axes in drawn(*others, held, level=Level.QUICK)]
    assert softmax.own_axes["cols"] + 1 in found


def test_values_are_planted_with_their_neighbours() -> None:
    workloads = LiteralWorkloads(
        Reference(resolve("gelu")), LITERAL_AMOUNTS[Level.QUICK], random.Random(3)
    )
    (found,) = [w for w in workloads.draw([BAND], ()) if w.values]
    assert found.distribution is Distribution.LITERALS
    assert found.values == (3.7,)
    (x,) = Reference(resolve("gelu")).draw(found, 5)
    assert int(((x - 3.7).abs() < 0.01).sum()) > 0.01 * x.numel()
    exact = torch.tensor(3.7)
    beside = torch.nextafter(exact, torch.tensor(9.0))
    assert bool((x == exact).any()) and bool((x == beside).any()) and bool((x == -exact).any())


def test_a_row_holds_few_numbers() -> None:
    own = torch.zeros(64, 32)
    made = with_literals(own, (1.0, 1000.0), torch.Generator().manual_seed(1))
    large, small = made.abs() > 500, (made.abs() > 0.5) & (made.abs() < 500)
    assert bool(large.any()) and bool(small.any())
    assert not bool((large.any(dim=1) & small.any(dim=1)).any())


def test_numbers_with_a_fraction_come_first_among_values() -> None:
    assert wanted_values([WIDTH, BAND, SourceLiteral(0)]) == [3.7, 640.0]
