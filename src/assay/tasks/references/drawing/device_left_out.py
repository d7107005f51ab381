"""DeviceLeftOut: a task's `get_inputs` may name a GPU; its tensors are made where the judge draws.

The rule: the judge decides where inputs lie. `torch.randn(8).cuda()` and `device="cuda"` give what
they would give without naming a device, on machines with a GPU and on those that have none.
"""

from __future__ import annotations

from typing import Any

import torch
from torch.overrides import TorchFunctionMode


class DeviceLeftOut(TorchFunctionMode):
    """While active, nothing is made on a CUDA device or moved to one by name."""

    def __torch_function__(self, func: Any, types: Any, args: Any = (), kwargs: Any = None) -> Any:
        """Call without the device; a move that names nothing else is no move."""
        kwargs, name = dict(kwargs or {}), getattr(func, "__name__", "")
        if name == "cuda" and args and isinstance(args[0], torch.Tensor):
            return args[0]
        if _is_cuda(kwargs.get("device")):
            del kwargs["device"]
        if name == "to":
            args = (*args[:1], *(arg for arg in args[1:] if not _is_cuda(arg)))
            if len(args) == 1 and not kwargs:
                return args[0]
        return func(*args, **kwargs)


def _is_cuda(device: Any) -> bool:
    if isinstance(device, torch.device):
        return device.type == "cuda"
    return isinstance(device, str) and device.partition(":")[0] == "cuda"
