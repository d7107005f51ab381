"""Versions of the weights that differ from another in one place."""

from __future__ import annotations

import random

import torch
from torch import nn

from assay.exam.weight_scales import (
    FIRST_WEIGHTS,
    IN_PART,
    Weights,
    WeightsKind,
    partial_weights,
)


def _changed(kind: WeightsKind) -> tuple[torch.Tensor, torch.Tensor]:
    module = nn.Linear(5, 4)
    base = {k: torch.randn_like(v) for k, v in module.state_dict().items()}
    drawn = {k: torch.randn_like(v) for k, v in module.state_dict().items()}
    made = partial_weights(Weights(kind), module, base, drawn, random.Random(3))
    assert torch.equal(made["bias"], base["bias"])  # matrices are what is packed
    return base["weight"], made["weight"]


def test_one_entry_changes() -> None:
    before, after = _changed(WeightsKind.ENTRY)
    assert int((before != after).sum()) == 1


def test_one_row_changes() -> None:
    before, after = _changed(WeightsKind.ROW)
    assert int((before != after).any(1).sum()) == 1


def test_two_rows_change_places() -> None:
    before, after = _changed(WeightsKind.SWAPPED)
    assert int((before != after).any(1).sum()) == 2
    assert sorted(map(tuple, before.tolist())) == sorted(map(tuple, after.tolist()))


def test_tied_parameters_change_together() -> None:
    module = nn.Sequential(nn.Linear(3, 3, bias=False), nn.Linear(3, 3, bias=False))
    module[1].weight = module[0].weight
    value = torch.randn(3, 3)
    base = {"0.weight": value, "1.weight": value}
    drawn = dict.fromkeys(base, torch.randn(3, 3))
    made = partial_weights(Weights(WeightsKind.ENTRY), module, base, drawn, random.Random(3))
    assert torch.equal(made["0.weight"], made["1.weight"])
    assert not torch.equal(made["0.weight"], value)


def test_without_parameters_nothing_changes() -> None:
    assert partial_weights(IN_PART[0], nn.ReLU(), {}, {}, random.Random(3)) == {}


def test_each_version_differs_from_the_one_before_it() -> None:
    entry, swapped, row = IN_PART
    assert [w.before for w in IN_PART] == [(FIRST_WEIGHTS,), (entry,), (swapped,)] and row.in_part
