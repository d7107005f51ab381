"""Profiler rows: a profile of torch's read as rows of our own.

The rule: the only file that knows torch's profiler. A row of a device is one that the device
itself recorded and that is no annotation; a host's row counts where it is an operation
(`namespace::name`) or the annotation of a node.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Any

import torch
from torch._C._autograd import DeviceType

from assay.workbench.models.profile_rows import NODE_PREFIX, ProfileRow, RowKind, TensorForm

_DTYPES = {
    "float": "float32",
    "double": "float64",
    "c10::Half": "float16",
    "c10::BFloat16": "bfloat16",
    "long int": "int64",
    "long": "int64",
    "int": "int32",
    "short int": "int16",
    "signed char": "int8",
    "unsigned char": "uint8",
    "bool": "bool",
}


def profiled(call: Callable[[], object], forwards: int, accelerated: bool) -> list[ProfileRow]:
    """The rows of some forwards; one before them is profiled and thrown away."""
    activities = [torch.profiler.ProfilerActivity.CPU]
    if accelerated:
        activities.append(torch.profiler.ProfilerActivity.CUDA)
    rows: list[ProfileRow] = []
    for count in (1, forwards):
        with torch.profiler.profile(activities=activities, record_shapes=True) as profile:
            for _ in range(count):
                call()
            if accelerated:
                torch.cuda.synchronize()
        rows = list(_rows(profile))
    return rows


def _rows(profile: Any) -> Iterator[ProfileRow]:
    for event in profile.profiler.kineto_results.events():
        name, start = event.name(), event.start_ns() / 1e3
        times = (start, start + event.duration_ns() / 1e3)
        if event.device_type() != DeviceType.CPU:
            if not event.is_user_annotation() and not name.startswith(NODE_PREFIX):
                linked = event.linked_correlation_id()
                yield ProfileRow(RowKind.DEVICE, name, *times, launched_by=linked)
        elif name.startswith(NODE_PREFIX):
            number, thread = event.correlation_id(), event.start_thread_id()
            yield ProfileRow(RowKind.ANNOTATION, name, *times, number, thread=thread)
        elif "::" in name:
            number, thread = event.correlation_id(), event.start_thread_id()
            yield ProfileRow(
                RowKind.OPERATION, name, *times, number, 0, thread, tuple(_forms(event))
            )


def _forms(event: Any) -> Iterator[TensorForm]:
    """Of an operation's tensors; other arguments have no dtype or no sizes."""
    shapes: Sequence[Any] = event.shapes()
    dtypes: Sequence[str] = event.dtypes()
    asked: Sequence[Any] = getattr(event, "structured_input_strides", list)()
    strides = asked if len(asked) == len(shapes) else [()] * len(shapes)
    for shape, dtype, stride in zip(shapes, dtypes, strides, strict=False):
        if dtype in _DTYPES and all(isinstance(size, int) for size in shape):
            flat = tuple(stride) if all(isinstance(one, int) for one in stride) else ()
            yield TensorForm(shape=tuple(shape), dtype=_DTYPES[dtype], strides=flat)
