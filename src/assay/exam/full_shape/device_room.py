"""DeviceRoom: whether a device's memory holds a task at its own shape, three times and judged.

The rule: counted before anything is drawn, so that no candidate runs out of memory because of us.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from assay.exam.full_shape.independent_parts import IndependentParts
from assay.tasks.shapes.footprint import Footprint

# Measured at 10^8 elements: arguments, truth, probes and budget of one content.
_BYTES_AN_ELEMENT = 150  # of inputs and outputs of a block
BLOCK_BYTES = 12 << 30
_SIDES = 3  # timed beside each other: the candidate, a baseline, the null candidate
_BETWEEN = 2  # results that a baseline makes on the way, as large as its largest tensor
_JUDGED = 2  # answers that are kept until the rounds are over, with what was asked
_SHARE = 0.95  # of the memory: contexts and code take some


@dataclass(frozen=True)
class DeviceRoom:
    """What one call takes, in bytes and elements."""

    input_bytes: int
    output_bytes: int
    elements: int  # of inputs and outputs
    inputs: tuple[int, ...]  # elements of each argument; none of what is no tensor

    @classmethod
    def of(cls, found: Footprint, itemsize: int) -> DeviceRoom:
        """By the shapes, each element as large as the task's own dtype; integers may be larger."""
        outputs = sum(math.prod(shape) for shape in found.outputs)
        inputs = tuple(0 if shape is None else math.prod(shape) for shape in found.inputs)
        total = sum(inputs)
        return cls(total * itemsize, outputs * itemsize, total + outputs, inputs)

    def block(self, parts: IndependentParts | None, memory_bytes: int) -> int | None:
        """Parts of a block that is judged at once; None where not even one fits.

        What is needed whole, by every block or because nothing falls into parts, may take all that
        the device has left.
        """
        left = int(_SHARE * memory_bytes) - (self.needed_bytes - BLOCK_BYTES)
        if parts is None:
            return 1 if _BYTES_AN_ELEMENT * self.elements <= left else None
        whole = _BYTES_AN_ELEMENT * self._uncut(parts)
        each = max(1, (_BYTES_AN_ELEMENT * self.elements - whole) // parts.count)
        fitting = (min(left, whole + BLOCK_BYTES) - whole) // each
        return min(parts.count, fitting) if fitting > 0 else None

    def _uncut(self, parts: IndependentParts) -> int:
        pairs = zip(self.inputs, parts.inputs, strict=True)
        return sum(elements for elements, dim in pairs if dim is None)

    @property
    def needed_bytes(self) -> int:
        """For all sides, what is judged, and one block's evaluations."""
        call = self.input_bytes + 2 * self.output_bytes
        between = _BETWEEN * max(self.input_bytes, self.output_bytes)
        judged = self.input_bytes + _JUDGED * (self.input_bytes + self.output_bytes)
        return _SIDES * call + between + judged + BLOCK_BYTES

    def fits(self, memory_bytes: int) -> bool:
        """Whether a device with so much memory holds it."""
        return self.needed_bytes <= _SHARE * memory_bytes
