"""ProfileRow: one row of a profile of a model, as far as times are concerned.

A profiler writes two kinds of rows for the same time: the host's operation (`aten::addmm`), and the
device's kernel that it launched. Annotations, of the host and of the device, span both.

The rule: a row says what it is. Only device rows are time on a device; a host's row says which
operation a kernel belongs to, by number, never by the kernel's name.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum

from assay.data.record import Record

NODE_PREFIX = "assay_node:"  # of the annotation around one node of the traced graph


class RowKind(StrEnum):
    """What a row is about."""

    OPERATION = "operation"  # of the host: an aten operation
    ANNOTATION = "annotation"  # of the host: one node of the traced graph
    DEVICE = "device"  # a kernel, a copy or a fill on the device


class TensorForm(Record):
    """Shape, dtype and strides of a tensor; strides are empty where they are not known."""

    shape: tuple[int, ...]
    dtype: str
    strides: tuple[int, ...] = ()


@dataclass(frozen=True)
class ProfileRow:
    """One row. Times are microseconds on one clock."""

    kind: RowKind
    name: str
    start_us: float
    end_us: float
    number: int = 0  # of a host's row: by which device rows name it
    launched_by: int = 0  # of a device's row: the number of the operation; 0 where unknown
    thread: int = 0  # of a host's row
    inputs: tuple[TensorForm, ...] = ()

    @property
    def duration_us(self) -> float:
        """From start to end."""
        return self.end_us - self.start_us

    @property
    def node(self) -> str:
        """The node of the graph that an annotation names."""
        return self.name.removeprefix(NODE_PREFIX)

    def holds(self, other: ProfileRow) -> bool:
        """Whether the other row lies inside this one, on the same thread."""
        return (
            self.thread == other.thread
            and self.start_us <= other.start_us
            and other.end_us <= self.end_us
        )
