"""Task: what to compute, written as a reference, with the space of shapes it is asked on."""

from __future__ import annotations

from assay.data.axis import Axis
from assay.data.contract import Contract
from assay.data.record import SCHEMA_VERSION, Record, content_id
from assay.data.workload import Direction


class Task(Record):
    """A reference in source form. The source stays on the trusted side of the wall."""

    schema_version: int = SCHEMA_VERSION
    id: str
    title: str = ""
    format: str  # whose way of writing tasks the source follows: a reader's name
    source: str
    entry: str = "Model"
    direction: Direction = Direction.FORWARD  # backward: gradients are asked for
    axes: tuple[Axis, ...] = ()
    tags: tuple[str, ...] = ()
    contract: Contract | None = None  # None: number by number
    origin: str = ""
    licence: str = ""

    @property
    def content_id(self) -> str:
        """The hash of what is computed, whatever the task is called."""
        return content_id(self.format, self.entry, self.source)
