"""Module state: frozen parameters and the other mode, for as long as a call takes.

The rule: the module is as it was when the call is over.
"""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from typing import Any

import torch

from assay.sandbox.protocol.surroundings import Surroundings


@contextlib.contextmanager
def module_state(instance: Any, around: Surroundings) -> Iterator[None]:
    """Its parameters frozen, and its modules in their other mode, for as long as a call takes."""
    module = instance if isinstance(instance, torch.nn.Module) else torch.nn.Module()
    modes = [(one, one.training) for one in module.modules()] if around.other_mode else []
    thawed = [p for p in module.parameters() if p.requires_grad] if around.frozen else []
    for parameter in thawed:
        parameter.requires_grad_(False)
    for one, training in modes:
        one.training = not training
    try:
        yield
    finally:
        for parameter in thawed:
            parameter.requires_grad_(True)
        for one, training in modes:
            one.training = training
