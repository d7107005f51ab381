"""Weights: scales change, signs and ties stay."""

from __future__ import annotations

import torch
from torch import nn

from assay.exam.weight_scales import (
    HALVES,
    SEEDED,
    Weights,
    WeightsKind,
    new_weights,
    parameters,
    scaled_weights,
)


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(5, 3)
        self.head = nn.Linear(3, 5)
        self.head.weight = self.table.weight
        self.head.bias = nn.Parameter(torch.linspace(-1.0, 1.0, 5))  # both signs, so it may move
        self.decay = nn.Parameter(torch.full((3,), -0.5))
        self.register_buffer("steps", torch.zeros(3))


def drawn(weights: Weights) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    module = Tied()
    state = {name: value.clone() for name, value in module.state_dict().items()}
    return state, scaled_weights(weights, module, state)


def test_large_and_shifted_are_gains_and_biases_alone() -> None:
    for kind in (WeightsKind.LARGE, WeightsKind.RAISED, WeightsKind.LOWERED):
        before, after = drawn(Weights(kind))
        assert torch.equal(after["head.weight"], before["head.weight"])
        assert float((after["head.bias"] - before["head.bias"]).abs().max()) > 1
        assert bool((after["decay"] < 0).all())
        assert torch.equal(after["steps"], before["steps"])
    assert float(drawn(Weights(WeightsKind.RAISED))[1]["head.bias"].min()) > 100
    assert float(drawn(Weights(WeightsKind.LOWERED))[1]["head.bias"].max()) < -100


def test_small_is_every_parameter_or_all_but_one_and_what_is_tied_to_it() -> None:
    before, after = drawn(Weights(WeightsKind.SMALL))
    for name in ("table.weight", "head.weight", "head.bias", "decay"):
        assert float(after[name].abs().max()) < 2.0**-18 * (1 + float(before[name].abs().max()))
    names = list(parameters(Tied()))
    before, after = drawn(Weights(WeightsKind.SMALL_BUT_ONE, names.index("table.weight")))
    assert torch.equal(after["head.weight"], before["head.weight"])
    assert torch.equal(after["table.weight"], before["table.weight"])
    assert float(after["head.bias"].abs().max()) < 2.0**-18


def test_a_third_of_rows_and_entries_is_zero_and_what_is_tied_stays_equal() -> None:
    before, after = drawn(Weights(WeightsKind.ZEROED))
    zero = (after["head.weight"] == 0).all(1)
    assert int(zero.sum()) == 2 and torch.equal(after["head.weight"], after["table.weight"])
    assert torch.equal(after["head.weight"][~zero], before["head.weight"][~zero])
    assert 0 < int((after["head.bias"] == 0).sum()) < 5


def test_one_vector_holds_one_value_and_the_rest_stays() -> None:
    for number, name in enumerate(("decay", "head.bias")):
        before, after = drawn(Weights(WeightsKind.EVEN, number))
        assert len(after[name].unique()) == 1 and after[name][0] == before[name][0]
        others = [key for key in before if key != name]
        assert all(torch.equal(after[key], before[key]) for key in others)


def test_a_scale_is_borne_where_it_was_tried_alone() -> None:
    usual = (Weights(), Weights(number=3), SEEDED, *HALVES)
    assert all(not weights.scaled and weights.ordinary == weights for weights in usual)
    others = [Weights(kind) for kind in WeightsKind if kind not in {w.kind for w in usual}]
    assert others and all(w.ordinary == Weights() for w in others)
    assert all(w.scaled is not w.in_part for w in others)
    assert len({str(weights) for weights in (*usual, *others)}) == len(usual) + len(others)


def test_new_weights_are_asked_where_a_constructor_leaves_gains_of_one() -> None:
    assert new_weights(nn.LayerNorm(4)) == [Weights(WeightsKind.NEW)]
    assert not new_weights(nn.Linear(4, 4)) and not new_weights(nn.ReLU())
    assert Weights(WeightsKind.NEW).scaled and Weights(WeightsKind.NEW).ordinary == Weights()
