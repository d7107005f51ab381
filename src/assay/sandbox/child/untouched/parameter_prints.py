"""ParameterPrints: whether an instance's parameters and buffers are still what the host gave it.

The rule: a call computes with parameters and leaves them alone, and with buffers unless the
reference changes them too. Who packs weights where they lie answers rightly and saves a spoiled
checkpoint. They are looked at before others are loaded, and whenever the state of the process is
asked for; of large modules only then.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

import torch

from assay.sandbox.child.untouched.held_state import held_state, parameters_of

_MOST_BYTES = 16 << 20  # of a module whose parameters are looked at before every loading


class ParameterPrints:
    """A checksum of every parameter as it was loaded, by instance."""

    def __init__(self) -> None:
        self._prints: dict[int, dict[str, int]] = {}
        self._changed: dict[str, None] = {}
        self._free: set[str] = set()

    def note(self, number: int, instance: object, given: Iterable[str]) -> None:
        """What has these names is what the host wants it to be."""
        saved = _prints(instance)
        self._prints[number] = {name: saved[name] for name in given if name in saved}

    def leave_out(self, names: Iterable[str]) -> None:
        """Calls may change these."""
        self._free.update(names)

    def look(self, number: int, instance: object, small_only: bool = False) -> None:
        """Keep the names of those that are not what they were."""
        known = self._prints.get(number)
        if known is None or (small_only and _bytes(instance) > _MOST_BYTES):
            return
        now = _prints(instance)
        changed = [n for n, told in known.items() if n not in self._free and now.get(n) != told]
        self._changed.update(dict.fromkeys(changed))

    def lines(self) -> list[str]:
        """`parameters.NAME<TAB>` of each that calls have changed."""
        return [f"parameters.{name}\t" for name in self._changed]


def _prints(instance: object) -> dict[str, int]:
    if not isinstance(instance, torch.nn.Module):
        return {}
    saved = {**instance.state_dict(), **held_state(instance)}
    return {n: _checksum(v) for n, v in saved.items() if isinstance(v, torch.Tensor)}


def _checksum(value: torch.Tensor) -> int:
    plain = value.detach().cpu().contiguous().reshape(-1)
    return zlib.crc32(plain.view(torch.uint8).numpy().tobytes()) if plain.numel() else 0


def _bytes(instance: object) -> int:
    return sum(value.numel() * value.element_size() for value in parameters_of(instance))
