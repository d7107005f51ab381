"""ParameterPrints: whether an instance's parameters are still what the host gave it.

The rule: a call computes with parameters and leaves them alone. Who packs weights where they lie
answers rightly and saves a spoiled checkpoint. They are looked at before others are loaded, and
whenever the state of the process is asked for; of large modules only then.
"""

from __future__ import annotations

import zlib

import torch

_MOST_BYTES = 16 << 20  # of a module whose parameters are looked at before every loading


class ParameterPrints:
    """A checksum of every parameter as it was loaded, by instance."""

    def __init__(self) -> None:
        self._prints: dict[int, dict[str, int]] = {}
        self._changed: dict[str, None] = {}

    def note(self, number: int, instance: object) -> None:
        """The parameters are what the host wants them to be."""
        self._prints[number] = _prints(instance)

    def look(self, number: int, instance: object, small_only: bool = False) -> None:
        """Keep the names of those that are not what they were."""
        known = self._prints.get(number)
        if known is None or (small_only and _bytes(instance) > _MOST_BYTES):
            return
        now = _prints(instance)
        self._changed.update(dict.fromkeys(n for n, told in known.items() if now.get(n) != told))

    def lines(self) -> list[str]:
        """`parameters.NAME<TAB>` of each that calls have changed."""
        return [f"parameters.{name}\t" for name in self._changed]


def _prints(instance: object) -> dict[str, int]:
    if not isinstance(instance, torch.nn.Module):
        return {}
    return {name: _checksum(value) for name, value in instance.named_parameters()}


def _checksum(value: torch.Tensor) -> int:
    plain = value.detach().cpu().contiguous().reshape(-1)
    return zlib.crc32(plain.view(torch.uint8).numpy().tobytes()) if plain.numel() else 0


def _bytes(instance: object) -> int:
    if not isinstance(instance, torch.nn.Module):
        return 0
    return sum(value.numel() * value.element_size() for value in instance.parameters())
