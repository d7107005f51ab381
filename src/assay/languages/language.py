"""Language: the contract every language adapter keeps.

The rule: `available()` answers in words a user can act on, and nothing is imported to answer it.
"""

from __future__ import annotations

from importlib.util import find_spec
from typing import Protocol


class Language(Protocol):
    """What the rest of Assay needs to know about a language."""

    @property
    def name(self) -> str:
        """The name in `assay.data.candidate.Language`."""
        ...

    @property
    def preload(self) -> tuple[str, ...]:
        """Modules worth importing in the warm parent, before candidates are forked from it."""
        ...

    def available(self) -> str | None:
        """None where it can be used here, else what is missing and the line that installs it."""
        ...

    def interpreted(self, device: str) -> bool:
        """True where its kernels are interpreted on this device, so that time says nothing."""
        ...

    def environment(self, device: str) -> dict[str, str]:
        """Environment variables the child needs."""
        ...


def missing_module(module: str, install: str) -> str | None:
    """What to say about a Python package that is not installed; it is looked for, not imported."""
    if find_spec(module) is not None:
        return None
    return f"{module} is not installed; install it with: {install}"
