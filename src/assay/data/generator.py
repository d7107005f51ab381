"""Generator: the system that wrote a candidate."""

from __future__ import annotations

from assay.data.record import Record


class Generator(Record):
    """Name and version of what produced a candidate, and the model behind it."""

    name: str
    version: str = ""
    model: str = ""
