"""Held state: the parameters and buffers that a module computes with, and would save.

The rule: they are read where torch keeps them, not asked for by a method that a candidate may
write itself: who saves other tensors than it trains has two states, and one of them is stale.
"""

from __future__ import annotations

import torch


def held_state(module: object) -> dict[str, torch.Tensor]:
    """By name, the live ones; buffers that are never saved are left out."""
    if not isinstance(module, torch.nn.Module):
        return {}
    found: dict[str, torch.Tensor] = {}
    for prefix, part in torch.nn.Module.named_modules(module, remove_duplicate=False):
        kept = {n: b for n, b in part._buffers.items() if n not in part._non_persistent_buffers_set}
        for name, value in {**part._parameters, **kept}.items():
            if value is not None:
                found[f"{prefix}.{name}" if prefix else name] = value
    return found
