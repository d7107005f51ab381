"""`assay device`: what this machine is and can do."""

from __future__ import annotations

import sys
from datetime import UTC, datetime

from assay.app.flags import DeviceFlags
from assay.devices import device_registry
from assay.devices.survey import survey
from assay.report.console import progress_console, result_console
from assay.report.hardware.device_text import device_page


def run(flags: DeviceFlags) -> int:
    """Every device: described, with its calibration, kept or new; or what is missing."""
    for name in device_registry.here():
        one = survey(name, measured=True, afresh=flags.calibrate, waiting=_say_waiting)
        if flags.json:
            sys.stdout.write(one.model_dump_json() + "\n")
        else:
            result_console().print(device_page(one, datetime.now(UTC)))
    return 0


def _say_waiting(holder: int | None) -> None:
    by = f"process {holder}" if holder is not None else "another process"
    progress_console().print(f"waiting: {by} is timing on the device")
