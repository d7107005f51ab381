"""GeneratedKernels: how many kernels torch's Inductor has written in this process, as it counts.

Testimony: the count may convict. What it is read from is not imported for it.
"""

from __future__ import annotations

import sys

NAME = "inductor.generated_kernels"
_METRICS = "torch._inductor.metrics"
_COUNTS = ("generated_kernel_count", "generated_cpp_vec_kernel_count")


def generated_lines() -> list[str]:
    """`name<TAB>detail` where there are some; a kernel found in Inductor's cache counts too."""
    metrics = sys.modules.get(_METRICS)
    counted = [getattr(metrics, name, 0) for name in _COUNTS]
    most = max((count for count in counted if isinstance(count, int)), default=0)
    return [f"{NAME}\t{most}"] if most > 0 else []
