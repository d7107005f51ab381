"""Numba: Python loops compiled by LLVM when they are first called.

The rule: its cache stays inside the sandbox, so that no candidate finds another's code there.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.languages.language import missing_module

INSTALL = "pip install numba"


@dataclass(frozen=True, slots=True)
class NumbaLanguage:
    """Candidates with njit, vectorize, guvectorize or stencil kernels."""

    name: str = "numba"
    preload: tuple[str, ...] = ("torch", "numpy", "numba")

    def available(self) -> str | None:
        """Needs the numba package."""
        return missing_module("numba", INSTALL)

    def interpreted(self, device: str) -> bool:
        """Its kernels are compiled."""
        return False

    def environment(self, device: str) -> dict[str, str]:
        """Nothing to set: the sandbox's private home already holds the cache folder."""
        return {}
