"""Environment: the machine, the software and the layers of the wall behind a verdict."""

from __future__ import annotations

from assay.data.device import Device
from assay.data.record import Record


class Environment(Record):
    """What a reader needs to believe, or to repeat, a verdict."""

    assay: str
    python: str
    torch: str
    platform: str
    compiler: str
    device: Device
    threads: int
    layers_held: tuple[str, ...]
    layers_missing: tuple[str, ...]
    allow_packages: tuple[str, ...] = ()  # that the user had candidates shown
