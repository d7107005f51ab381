"""`assay device`: what this machine is and can do."""

from __future__ import annotations

import sys

from assay.devices import registry
from assay.devices.survey import survey
from assay.report.console import result_console
from assay.report.device import device_page


def run(json: bool) -> int:
    """Every known device: described, measured where that is possible, or what is missing."""
    surveys = [survey(name, measured=True) for name in registry.known()]
    for one in surveys:
        if json:
            sys.stdout.write(one.model_dump_json() + "\n")
        else:
            result_console().print(device_page(one))
    return 0
