"""State: new values for the parameters and buffers of a reference.

The rule: gains and biases are random, never ones and zeros; dtype, scale and domain stay; what is a
constant of the task (masks, tables, counters) stays too.
"""

from __future__ import annotations

import torch
from torch import nn

from assay.data.contract import Contract, Quantised
from assay.tasks.references.drawing.one_thread import one_thread

GAIN_SPREAD = 0.2
BIAS_SPREAD = 0.1
TINY_GAIN = 0.01
_LEAST_ROWS = 8  # of codes; fewer are not worth three special ones


@one_thread()
def draw_state(
    module: nn.Module, seed: int, contract: Contract | None = None
) -> dict[str, torch.Tensor]:
    """A value for every entry of `state_dict`; entries that share memory share the value.

    Codes and scales that a contract names are drawn in their whole domain.
    """
    generator = torch.Generator().manual_seed(seed)
    parameters = dict(module.named_parameters(remove_duplicate=False))
    drawn: dict[str, torch.Tensor] = {}
    shared: dict[tuple[int, torch.Size], torch.Tensor] = {}
    for name, value in module.state_dict().items():
        if not isinstance(value, torch.Tensor):
            continue
        key = (value.data_ptr() if value.numel() else id(value), value.shape)
        if key not in shared:
            own = value.detach()
            drawer = _parameter if name in parameters else _buffer
            declared = _declared(name, own, contract, generator)
            shared[key] = drawer(name, own, generator) if declared is None else declared
        drawn[name] = shared[key]
    return drawn


def _noise(like: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.randn(like.shape, generator=generator, dtype=torch.float32).to(like.device)


def _declared(
    name: str, own: torch.Tensor, contract: Contract | None, generator: torch.Generator
) -> torch.Tensor | None:
    """What the contract says about an entry; None where it says nothing."""
    if not isinstance(contract, Quantised) or own.numel() == 0:
        return None
    if name in contract.scales:
        return (own.float() * torch.exp(GAIN_SPREAD * _noise(own, generator))).to(own.dtype)
    if name not in contract.codes:
        return None
    low, high = contract.codes[name]
    drawn = torch.randint(low, high + 1, own.shape, generator=generator)
    rows = drawn.reshape(-1, own.shape[-1]) if own.dim() > 1 else drawn.reshape(1, -1)
    if len(rows) >= _LEAST_ROWS:  # sums are largest, and vanish, where all codes are equal
        places = torch.randperm(len(rows), generator=generator)[:3].tolist()
        for place, code in zip(places, (low, high, max(low, 0)), strict=True):
            rows[place] = code
    return drawn.to(own.dtype)


def _parameter(name: str, own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """New values like those constructed: same mean and spread, same sign where there is one."""
    if not own.is_floating_point() or own.numel() == 0:
        return own.clone()
    wide = own.float()
    low, high = wide.aminmax()
    noise = _noise(own, generator)
    if low == high:
        return _constant(float(low), noise).to(own.dtype)
    if low > 0 or high < 0:  # one sign is a domain: a decay, a variance, a temperature
        return (wide * torch.exp(GAIN_SPREAD * noise)).to(own.dtype)
    drawn = wide.mean() + wide.std() * noise
    return torch.where(wide == 0, wide, drawn).to(own.dtype)  # a padding row stays zero


def _constant(value: float, noise: torch.Tensor) -> torch.Tensor:
    """Values around a constant initialisation: a gain, a bias, a slope."""
    if abs(value) < TINY_GAIN:  # a bias, or a gain that training is meant to raise
        return value + BIAS_SPREAD * noise
    if value == 1:
        return 1 + GAIN_SPREAD * noise
    return value * torch.exp(GAIN_SPREAD * noise)


def _buffer(name: str, own: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    """Running statistics are drawn anew; every other buffer is a constant of the task."""
    last = name.rpartition(".")[2]
    vector = own.is_floating_point() and own.dim() == 1 and own.numel() > 0
    zeros, ones = vector and bool((own == 0).all()), vector and bool((own == 1).all())
    if not (vector and (last.startswith("running_") or zeros or ones)):
        return own.clone()
    noise = _noise(own, generator)
    if last.endswith("mean") or zeros:
        return (own.float() + BIAS_SPREAD * noise).to(own.dtype)
    return (own.float().abs() * torch.exp(GAIN_SPREAD * noise)).to(own.dtype)
