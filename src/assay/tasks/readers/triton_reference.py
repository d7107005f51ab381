"""TritonReference: a reference that is itself a Triton kernel, made callable where the judge runs.

The rule: the kernel's text stays as it is. With a GPU its inputs are moved there and its results
and changes back; without one Triton's interpreter runs it, as far as the text allows that.
"""

from __future__ import annotations

BEFORE = """\
import os as _os

import torch as _torch

_asked = _os.environ.get("TRITON_INTERPRET")
if not _torch.cuda.is_available():
    _os.environ["TRITON_INTERPRET"] = "1"
"""

AFTER = '''

if _asked is None:
    _os.environ.pop("TRITON_INTERPRET", None)
else:
    _os.environ["TRITON_INTERPRET"] = _asked
_forward_there = Model.forward


def _moved(value, device):
    """The same with every tensor on the device."""
    if isinstance(value, _torch.Tensor):
        return value.to(device)
    if isinstance(value, (list, tuple)):
        return [_moved(part, device) for part in value]
    return value


def _forward(self, *given):
    if not _torch.cuda.is_available():
        return _forward_there(self, *given)
    there = [_moved(value, "cuda") for value in given]
    made = _moved(_forward_there(self, *there), "cpu")
    for here, other in zip(given, there):
        if isinstance(here, _torch.Tensor):
            here.copy_(other)
    return made


Model.forward = _forward
'''


def with_device(source: str) -> str:
    """The source of a task whose reference launches Triton kernels."""
    return f"{BEFORE}\n{source.rstrip()}\n{AFTER}"
