"""Every device Assay knows, by name. An adapter is imported when it is asked for, not before.

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
    """Every name, ours first."""
    return tuple(_paths())


def adapter(name: str) -> DeviceAdapter:
    """The adapter of that name; a UsageError lists the known ones."""
    paths = _paths()
    if name not in paths:
        raise UsageError(f"unknown device '{name}'; known: {', '.join(paths)}")
    module, _, attribute = paths[name].partition(":")
    return cast(DeviceAdapter, getattr(import_module(module), attribute)())


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
