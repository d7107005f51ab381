"""Tones: scales change, signs and ties stay."""

from __future__ import annotations

import torch
from torch import nn

from assay.worker.host import tones


class Tied(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.table = nn.Embedding(5, 3)
        self.head = nn.Linear(3, 5)
        self.head.weight = self.table.weight
        self.decay = nn.Parameter(torch.full((3,), -0.5))
        self.register_buffer("steps", torch.zeros(3))


def drawn(version: int) -> tuple[dict[str, torch.Tensor], dict[str, torch.Tensor]]:
    module = Tied()
    state = {name: value.clone() for name, value in module.state_dict().items()}
    return state, tones.toned(version, module, state)


def test_loud_and_shifted_are_gains_and_biases_alone() -> None:
    for version in (tones.LOUD, tones.RAISED, tones.LOWERED):
        before, after = drawn(version)
        assert torch.equal(after["head.weight"], before["head.weight"])
        assert float((after["head.bias"] - before["head.bias"]).abs().max()) > 1
        assert bool((after["decay"] < 0).all())
        assert torch.equal(after["steps"], before["steps"])
    assert float(drawn(tones.RAISED)[1]["head.bias"].min()) > 100
    assert float(drawn(tones.LOWERED)[1]["head.bias"].max()) < -100


def test_quiet_is_every_parameter_or_all_but_one_and_what_is_tied_to_it() -> None:
    before, after = drawn(tones.QUIET)
    for name in ("table.weight", "head.weight", "head.bias", "decay"):
        assert float(after[name].abs().max()) < 2.0**-18 * (1 + float(before[name].abs().max()))
    names = list(tones.parameters(Tied()))
    before, after = drawn(tones.quiet_but(names.index("table.weight")))
    assert torch.equal(after["head.weight"], before["head.weight"])
    assert torch.equal(after["table.weight"], before["table.weight"])
    assert float(after["head.bias"].abs().max()) < 2.0**-18


def test_versions_are_told_apart() -> None:
    asked = (tones.LOUD, tones.RAISED, tones.LOWERED, tones.QUIET, tones.quiet_but(3))
    assert all(tones.is_tone(version) for version in asked)
    assert len(set(asked)) == len(asked) and not tones.is_tone(1002)
