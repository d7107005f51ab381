"""Held state: the parameters and buffers that a module computes with, and would save.

The rule: they are read where torch keeps them, not asked for by a method that a candidate may
write itself: who saves other tensors than it trains has two states, and one of them is stale. Nor
may an attribute that a kernel calls `buffers` or `parameters` be called as torch's method: the
runner failed there, and the kernel was blamed.
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


def parameters_of(module: object) -> list[torch.nn.Parameter]:
    """Each once; none of what is no module."""
    if not isinstance(module, torch.nn.Module):
        return []
    return [value for _, value in torch.nn.Module.named_parameters(module)]


def buffers_of(module: object) -> dict[str, torch.Tensor]:
    """Each once, by name; none of what is no module."""
    if not isinstance(module, torch.nn.Module):
        return {}
    return dict(torch.nn.Module.named_buffers(module))


def parts_of(module: object) -> list[torch.nn.Module]:
    """The module and all that it holds, each once; none of what is no module."""
    if not isinstance(module, torch.nn.Module):
        return []
    return [part for _, part in torch.nn.Module.named_modules(module)]
