"""Module state: frozen and in the other mode, and back."""

from __future__ import annotations

import torch

from assay.sandbox.child.surrounded.module_state import module_state
from assay.sandbox.protocol.surroundings import Surroundings


def test_a_module_is_frozen_and_in_its_other_mode_while_it_lasts() -> None:
    module = torch.nn.Linear(2, 2)
    with module_state(module, Surroundings(frozen=True, other_mode=True)):
        assert not module.weight.requires_grad and not module.training
    assert module.weight.requires_grad and module.training
