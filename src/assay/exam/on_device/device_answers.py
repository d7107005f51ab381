"""DeviceAnswers: who can be asked what the reference returns on the device of the candidates.

The rule: what it says depends on the question and the device alone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import torch

from assay.tasks.references.bound_reference import BoundReference


class DeviceAnswers(Protocol):
    """The reference on a device."""

    def answers(
        self, bound: BoundReference, inputs: Sequence[Any], state: Mapping[str, torch.Tensor]
    ) -> dict[str, torch.Tensor]:
        """Its outputs by name, in the memory of the host; none where it does not run there."""
