"""DeviceReference: a copy of the reference on a device, at the task's own precision.

The rule: it is given the same bytes with the same strides as a candidate: which algorithm a library
takes depends on them. Where it does not run there, it has no answers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import torch

from assay.errors import TaskError
from assay.exam.full_shape.full_shape_exam import pinned_precision
from assay.tasks.references.bound_reference import BoundReference
from assay.tasks.references.module_copy import copied_module


class DeviceReference:
    """Asked for few questions, so nothing is kept."""

    def __init__(self, task_id: str, device: str, tf32: bool) -> None:
        self._task_id, self._tf32 = task_id, tf32
        self._device = torch.device(device)

    def answers(
        self, bound: BoundReference, inputs: Sequence[Any], state: Mapping[str, torch.Tensor]
    ) -> dict[str, torch.Tensor]:
        """Its outputs by name, in the memory of the host; none where it does not run there."""
        try:
            with pinned_precision(self._tf32):
                module = copied_module(bound.module).to(self._device)
                there = BoundReference(self._task_id, module, bound.updates)
                moved = [self._moved(value) for value in inputs]
                found = there(moved, state, wide=False)
                return {n: t.cpu() for n, t in zip(found.names, found.tensors, strict=True)}
        except (TaskError, RuntimeError):  # its operators, or their memory, are missing there
            return {}

    def _moved(self, value: Any) -> Any:
        if not isinstance(value, torch.Tensor):
            return value
        if value.layout is not torch.strided or value.is_quantized:
            return value.to(self._device)
        storage = value.untyped_storage()
        count = storage.nbytes() // value.element_size()
        whole = torch.empty(0, dtype=value.dtype).set_(storage, 0, (count,), (1,))
        there = whole.to(self._device)
        return there.as_strided(value.shape, value.stride(), value.storage_offset())
