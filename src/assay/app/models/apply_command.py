"""`assay apply`: accepted kernels put back into a model, and the model judged as a whole."""

from __future__ import annotations

import sys

from pydantic import ValidationError

from assay.app.flag_settings import note
from assay.app.models.model_flags import ApplyFlags
from assay.app.models.model_text import apply_page
from assay.data.settings import Cache, Level, Settings, Track
from assay.data.verdict import Status
from assay.devices.device_registry import for_judging
from assay.engine.judge import Judge
from assay.errors import UsageError, reason_of
from assay.report.console import result_console
from assay.workbench.models.apply_kernels import ApplyRequest, apply, judged_by, kernels_named
from assay.workbench.models.hot_model import ModelFile
from assay.workbench.models.hot_report import HotReport


def run(flags: ApplyFlags) -> int:
    """0 where every kernel was accepted and the model with them too, else 1."""
    try:
        report = HotReport.model_validate_json(flags.hot.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, ValidationError) as error:
        why = reason_of(error)
        raise UsageError(f"cannot read {flags.hot} as a report of assay hot: {why}") from error
    model = ModelFile.named(flags.model)
    for_judging(report.device)
    request = ApplyRequest(
        model=model,
        report=report,
        kernels=kernels_named(report, flags.hot.parent, flags.kernel),
        settings=_settings(flags, report.device),
        out=flags.out or flags.hot.parent / "model_applied.py",
    )
    with Judge(device=report.device, jobs=1) as session:
        found = apply(request, judged_by(session), note)
    if flags.json:
        sys.stdout.write(found.model_dump_json() + "\n")
    else:
        result_console().print(apply_page(found))
    good = all(one.used for one in found.kernels) and found.status is Status.ACCEPTED
    return 0 if good else 1


def _settings(flags: ApplyFlags, device: str) -> Settings:
    """Kernels are timed, against the operation as torch runs it."""
    return Settings(
        device=device,
        track=Track(flags.track),
        level=Level(flags.level),
        timing=True,
        cache=Cache(flags.cache),
        timeout_s=flags.timeout_s,
    )
