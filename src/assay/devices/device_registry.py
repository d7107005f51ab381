"""Every kind of device Assay knows, by name. A backend is imported when it is asked for.

A device is named by its kind, `cuda`, and where there are several by its number too, `cuda:1`.

Others add their own in the entry-point group `assay.devices` (name = "module:Class").
"""

from __future__ import annotations

from assay.devices.device_adapter import DeviceBackend
from assay.errors import UsageError
from assay.plugins import Registry

DEVICES: Registry[DeviceBackend] = Registry(
    DeviceBackend,
    "assay.devices",
    {"cpu": "assay.devices.cpu_device:CpuBackend", "cuda": "assay.devices.cuda_device:CudaBackend"},
)


_DEVICE_JOBS = 4


def here() -> tuple[str, ...]:
    """Every device of this machine by name; a kind that it lacks stands there once."""
    return tuple(
        kind.at(index).name for kind in DEVICES.working() for index in range(max(1, kind.count()))
    )


def backend(name: str) -> DeviceBackend:
    """The backend of that name; a UsageError lists the known ones."""
    kind, colon, number = name.partition(":")
    if colon and not (number.isascii() and number.isdecimal()):
        raise UsageError(f"unknown device '{name}'; known: {', '.join(DEVICES.names())}")
    first = DEVICES.get(kind)
    return first.at(int(number)) if colon else first


def is_accelerated(name: str) -> bool:
    """Whether a device, of a record perhaps, computes beside the host; so does an unknown one."""
    try:
        return backend(name).accelerated
    except UsageError:
        return True


def usual_jobs(name: str) -> int:
    """Candidates judged at a time where nobody says how many.

    On a device of its own one candidate leaves it idle while it is built and checked; memory may
    hold fewer, which the judge process finds out.
    """
    return _DEVICE_JOBS if backend(name).accelerated else 1


def for_judging(name: str) -> DeviceBackend:
    """The backend of a device on which candidates can be judged here and now."""
    found = backend(name)
    missing = found.available()
    if missing is not None:
        raise UsageError(f"device '{name}' cannot be used here: {missing}")
    if not found.judges:
        able = [other.name for other in DEVICES.working() if other.judges]
        raise UsageError(
            f"device '{name}' is here, but this version judges only on: {', '.join(able)}"
        )
    return found
