"""`assay hot`: where the time of a model goes, and what of it is worth a kernel."""

from __future__ import annotations

import sys

from assay.app.flag_settings import note
from assay.app.models.model_flags import HotFlags
from assay.app.models.model_text import hot_page
from assay.devices.device_registry import for_judging
from assay.devices.survey import survey
from assay.report.console import result_console
from assay.workbench.models.device_limits import limits_of
from assay.workbench.models.hot_model import ModelFile, Profiled, asked, ranked


def run(flags: HotFlags) -> int:
    """Profile in a process, rank, print, and write the tasks."""
    model = ModelFile.named(flags.model)
    device = for_judging(flags.device)
    found = survey(flags.device, measured=True)
    answer = asked(model, device, flags.train, flags.timeout_s)
    name = found.device.name if found.device is not None else flags.device
    place = Profiled(model, flags.device, name, device.accelerated, flags.train)
    limits = limits_of(found, device.accelerated)
    made = ranked(answer, place, limits, flags.top, flags.include_at_limit)
    if flags.out is not None:
        written = made.write(flags.out)
        note(f"wrote {written} and {len(made.tasks)} task(s)")
    if flags.json:
        sys.stdout.write(made.report.model_dump_json() + "\n")
    else:
        result_console().print(hot_page(made.report))
    return 0
