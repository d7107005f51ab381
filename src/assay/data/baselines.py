"""Baselines: what a candidate is timed against, by name or as a kernel file, in the user's order.

The rule: the first is the one that a speedup is stated against; the others stand beside it.
"""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import AliasChoices, BeforeValidator, Field

EAGER = "eager"  # the reference as it is
COMPILE = "compile"  # under torch.compile
COMPILE_MAX = "compile-max"  # under torch.compile, tuned as far as it goes
VENDOR = "vendor"  # the library's own call, where one is known
NAMES = (EAGER, COMPILE, COMPILE_MAX, VENDOR)


def _several(value: Any) -> Any:
    """Older records name one alone, as `baseline`."""
    return (value,) if isinstance(value, str) else value


Baselines = Annotated[
    tuple[str, ...],
    BeforeValidator(_several),
    Field(validation_alias=AliasChoices("baselines", "baseline")),
]
