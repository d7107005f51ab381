"""State: random where it may be, in its domain, constant where it must be."""

from __future__ import annotations

import torch
from torch import nn

from assay.tasks.references.drawn_state import draw_state


class Zoo(nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.bn = nn.BatchNorm2d(64)
        self.fc = nn.Linear(300, 200)
        self.table = nn.Embedding(50, 40, padding_idx=0)
        self.decay = nn.Parameter(torch.rand(100) + 0.5)
        self.slope = nn.Parameter(torch.tensor(0.25))
        self.tied = self.fc.weight
        self.register_buffer("mask", torch.tril(torch.ones(8, 8)))
        self.register_buffer("index", torch.arange(6))


def test_every_entry_is_drawn_in_its_domain() -> None:
    torch.manual_seed(0)
    zoo = Zoo()
    own, drawn = zoo.state_dict(), draw_state(zoo, 1)
    assert drawn.keys() == own.keys()
    assert all(drawn[key].dtype == own[key].dtype for key in own)
    for key in ("bn.weight", "bn.bias", "fc.weight", "fc.bias", "bn.running_mean", "slope"):
        assert not torch.equal(drawn[key], own[key]), key
    for key in ("mask", "index", "bn.num_batches_tracked"):
        assert torch.equal(drawn[key], own[key]), key
    assert (drawn["bn.running_var"] > 0).all() and (drawn["decay"] > 0).all()
    assert 0.9 < drawn["fc.weight"].std() / own["fc.weight"].std() < 1.1
    assert (drawn["table.weight"][0] == 0).all() and (drawn["table.weight"][1:] != 0).all()
    assert torch.equal(drawn["tied"], drawn["fc.weight"])
    assert abs(drawn["bn.weight"].mean() - 1) < 0.2 and drawn["bn.bias"].std() > 0.05


def test_the_seed_decides() -> None:
    module = nn.Linear(4, 4)
    assert torch.equal(draw_state(module, 1)["weight"], draw_state(module, 1)["weight"])
    assert not torch.equal(draw_state(module, 1)["weight"], draw_state(module, 2)["weight"])
