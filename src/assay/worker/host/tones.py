"""Tones: weights that are large, small or far from zero, where a fault of scale shows.

The rule: a tone changes the scale of parameters and nothing else; whether the reference bears it is
found out by asking the reference.
"""

from __future__ import annotations

from collections.abc import Mapping

import torch
from torch import nn

LOUD = 1003  # gains and biases 2^8 times as large: a result that is clamped shows
RAISED = 1004  # gains and biases 2^9 higher than they were: so does a one-pass variance
LOWERED = 1005  # and 2^9 lower
QUIET = 1006  # every parameter 2^-22 times as large: so does a result that is flushed to zero
_LOUDNESS, _SHIFT, _QUIETNESS = 2.0**8, 2.0**9, 2.0**-22


def quiet_but(number: int) -> int:
    """The version in which one parameter keeps its scale beside quiet ones."""
    return QUIET + 1 + number


def is_tone(version: int) -> bool:
    """Whether a version of the weights is one of these."""
    return version >= LOUD


def ordinary(version: int) -> int:
    """A version that every workload bears: a tone is borne by the one it was tried on."""
    return 0 if is_tone(version) else version


def parameters(module: nn.Module) -> dict[str, nn.Parameter]:
    """What a tone may change, by name; one that is tied to another stands under both names."""
    named = module.named_parameters(remove_duplicate=False)
    return {name: parameter for name, parameter in named if parameter.is_floating_point()}


def toned(
    version: int, module: nn.Module, drawn: Mapping[str, torch.Tensor]
) -> dict[str, torch.Tensor]:
    """The drawn weights in the tone of that version."""
    known = parameters(module)
    vectors = {name for name, parameter in known.items() if parameter.dim() == 1}
    if version == LOUD:
        return {n: v * _LOUDNESS if n in vectors else v for n, v in drawn.items()}
    if version in (RAISED, LOWERED):
        shift = _SHIFT if version == RAISED else -_SHIFT
        return {n: _shifted(v, shift) if n in vectors else v for n, v in drawn.items()}
    kept = list(known.values())[version - QUIET - 1] if version > QUIET else None
    quiet = {name for name, parameter in known.items() if parameter is not kept}
    return {n: v * _QUIETNESS if n in quiet else v for n, v in drawn.items()}


def _shifted(value: torch.Tensor, shift: float) -> torch.Tensor:
    """Up or down; what has one sign keeps it, for that may be its domain."""
    if value.numel() and (bool((value > 0).all()) or bool((value < 0).all())):
        return value + value.sign() * _SHIFT
    return value + shift
