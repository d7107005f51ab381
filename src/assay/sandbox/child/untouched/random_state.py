"""RandomState: whether calls set the process's random generators back.

The rule: between calls every generator is moved on, so after no two of them is it in one state,
whether a call draws from it, leaves it alone or gives it back as it was. Who seeds it anew makes
the caller's numbers repeat, and leaves it in a state that was there before.
"""

from __future__ import annotations

import random
from dataclasses import dataclass, field

import numpy as np
import torch


@dataclass
class RandomState:
    """The states that calls have left."""

    _left: set[tuple[str, int]] = field(default_factory=set)
    _set_back: dict[str, int] = field(default_factory=dict)

    def look(self) -> None:
        """After calls: note what they left, and move on."""
        now = _states()
        for name in {name for name, _ in now & self._left}:
            self._set_back[name] = self._set_back.get(name, 0) + 1
        self._left |= now
        torch.rand(1)
        np.random.random()
        random.random()

    def forget(self) -> None:
        """Somebody else has seeded them."""
        self._left.clear()

    def lines(self) -> list[str]:
        """`name<TAB>detail` of each generator that was set back."""
        return [f"{name}\tin {count} batches of calls" for name, count in self._set_back.items()]


def _states() -> set[tuple[str, int]]:
    legacy = np.random.get_state(legacy=False)["state"]
    return {
        ("torch.seed", hash(torch.get_rng_state().numpy().tobytes())),
        ("numpy.seed", hash((legacy["key"].tobytes(), int(legacy["pos"])))),
        ("random.seed", hash(random.getstate())),
    }
