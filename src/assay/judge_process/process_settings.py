"""Settings of the whole process that a task's code can change, and that the next task would find.

The rule: a judge process in which one of them changed serves no further job.
"""

from __future__ import annotations

import os
from dataclasses import dataclass, fields

# Torch sets the first where it first meets a GPU, the second when it traces without values. A judge
# process that counted the second as a task's doing was started anew for every task on a GPU.
_SET_BY_LIBRARIES = frozenset({"CUDA_MODULE_LOADING", "TORCHINDUCTOR_CACHE_DIR"})


@dataclass(frozen=True)
class ProcessSettings:
    """As they are at one moment. Imports torch."""

    default_dtype: str
    default_device: str
    threads: int
    gradients: bool
    deterministic: bool
    matmul_precision: str
    folder: str
    environment: frozenset[tuple[str, str]]

    @classmethod
    def now(cls) -> ProcessSettings:
        """Of this process."""
        import torch

        return cls(
            default_dtype=str(torch.get_default_dtype()),
            default_device=str(torch.get_default_device()),
            threads=torch.get_num_threads(),
            gradients=torch.is_grad_enabled(),
            deterministic=torch.are_deterministic_algorithms_enabled(),
            matmul_precision=torch.get_float32_matmul_precision(),
            folder=os.getcwd(),
            environment=frozenset(
                (name, value) for name, value in os.environ.items() if name not in _SET_BY_LIBRARIES
            ),
        )

    def changed(self) -> list[str]:
        """The names of those that are other now; of the environment its variables."""
        now = ProcessSettings.now()
        found = [
            one.name for one in fields(self) if getattr(self, one.name) != getattr(now, one.name)
        ]
        others = sorted({name for name, _ in self.environment ^ now.environment})
        return [
            f"environment ({' '.join(others)})" if one == "environment" else one for one in found
        ]
