"""Plain torch: a candidate that defines no kernel language of its own.

The rule: it is always available, because Assay itself stands on torch.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class TorchLanguage:
    """Candidates made of torch calls; honest on the `open` track."""

    name: str = "torch"
    preload: tuple[str, ...] = ("torch", "torch.nn.functional")

    def available(self) -> str | None:
        """Nothing is missing where Assay runs."""
        return None

    def interpreted(self, device: str) -> bool:
        """Its operations are compiled."""
        return False

    def environment(self, device: str) -> dict[str, str]:
        """Nothing to set."""
        return {}
