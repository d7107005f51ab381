"""Every kind of device Assay knows, by name. An adapter is imported when it is asked for.

A device is named by its kind, `cuda`, and where there are several by its number too, `cuda:1`.

Others add their own in the entry-point group `assay.devices` (name = "module:Class").
"""

from __future__ import annotations

from importlib import import_module
from importlib.metadata import entry_points
from typing import cast

from assay.devices.device import DeviceAdapter
from assay.errors import UsageError

ENTRY_POINT_GROUP = "assay.devices"
_BUILT_IN = {
    "cpu": "assay.devices.cpu:CpuAdapter",
    "cuda": "assay.devices.cuda:CudaAdapter",
}


def known() -> tuple[str, ...]:
    """Every kind, ours first."""
    return tuple(_paths())


def here() -> tuple[str, ...]:
    """Every device of this machine by name; a kind that it lacks stands there once."""
    return tuple(
        adapter(kind).at(index).name
        for kind in known()
        for index in range(max(1, adapter(kind).count()))
    )


def adapter(name: str) -> DeviceAdapter:
    """The adapter of that name; a UsageError lists the known ones."""
    kind, colon, number = name.partition(":")
    paths = _paths()
    if kind not in paths or (colon and not (number.isascii() and number.isdecimal())):
        raise UsageError(f"unknown device '{name}'; known: {', '.join(paths)}")
    module, _, attribute = paths[kind].partition(":")
    first = cast(DeviceAdapter, getattr(import_module(module), attribute)())
    return first.at(int(number)) if colon else first


def for_judging(name: str) -> DeviceAdapter:
    """The adapter of a device on which candidates can be judged here and now."""
    found = adapter(name)
    missing = found.available()
    if missing is not None:
        raise UsageError(f"device '{name}' cannot be used here: {missing}")
    if not found.judges:
        able = [other for other in known() if adapter(other).judges]
        raise UsageError(
            f"device '{name}' is here, but this version judges only on: {', '.join(able)}"
        )
    return found


def _paths() -> dict[str, str]:
    outside = {point.name: point.value for point in entry_points(group=ENTRY_POINT_GROUP)}
    return _BUILT_IN | {name: path for name, path in outside.items() if name not in _BUILT_IN}
