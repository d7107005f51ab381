"""CUDA devices, seen through torch.

The rule: this adapter describes the device and says what is missing. It is asked in the judge's
own process, never in one that forks.
"""

from __future__ import annotations

import importlib.util
from dataclasses import dataclass

from assay.data.device import CacheSizes, Device


@dataclass(frozen=True)
class CudaAdapter:
    """The first CUDA device that torch sees."""

    name: str = "cuda"
    judges: bool = True

    def available(self) -> str | None:
        """A torch built for CUDA, and a device that it can reach."""
        if importlib.util.find_spec("torch") is None:
            return "torch is not installed: pip install torch"
        import torch

        if torch.version.cuda is None:
            return (
                f"torch {torch.__version__} is built without CUDA: install a CUDA build of torch "
                "(https://pytorch.org/get-started/locally)"
            )
        if not torch.cuda.is_available():
            return f"torch {torch.__version__} finds no CUDA device: check the driver (nvidia-smi)"
        return None

    def describe(self) -> Device:
        """What the driver tells torch."""
        import torch

        seen = torch.cuda.get_device_properties(0)
        clock_khz = getattr(seen, "clock_rate", None)
        return Device(
            kind=self.name,
            name=seen.name,
            architecture=f"sm_{seen.major}{seen.minor}",
            cores=seen.multi_processor_count,
            memory_bytes=seen.total_memory,
            caches=CacheSizes(l2_bytes=seen.L2_cache_size, llc_bytes=seen.L2_cache_size),
            clock_mhz_max=clock_khz / 1000 if clock_khz else None,
        )
