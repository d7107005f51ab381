"""Samples of several stretches of time as one."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import fields
from typing import Any

from assay.sampling.sampler import Samples


def together(parts: Sequence[Samples]) -> Samples:
    """Counts and times are added up; a reason stands where no part has samples."""
    found: dict[str, Any] = {}
    for one in fields(Samples):
        values = [getattr(part, one.name) for part in parts]
        if one.name == "reason":
            found[one.name] = "" if any(p.total for p in parts) else "".join(set(values))
        elif one.name == "clocked":
            found[one.name] = bool(values) and all(values)
        elif values:
            found[one.name] = _added(values)
    return Samples(**found)


def _added(values: Sequence[Any]) -> Any:
    if isinstance(values[0], Mapping):
        return {key: sum(v.get(key, 0) for v in values) for key in {k for v in values for k in v}}
    if isinstance(values[0], tuple):  # names with their counts
        counts = Counter[str]()
        for value in values:
            counts.update(dict(value))
        return tuple(counts.most_common())
    return sum(values)
