"""`assay profile`: which kernels run, how near each roof they come, and what binds them."""

from __future__ import annotations

import sys

from assay.app.axis_sizes import axes_at
from assay.app.candidates import load_candidates
from assay.app.flags import ProfileFlags
from assay.data.observations.profile import NotProfiled
from assay.data.progress import Progress
from assay.data.settings import Settings
from assay.devices.device_registry import backend
from assay.errors import UsageError
from assay.profile.bottleneck import sentences
from assay.report.console import progress_console, result_console
from assay.report.hardware.profile_text import not_profiled_page, profile_page
from assay.report.progress_display import ProgressLine
from assay.tasks.catalog import resolve

_NOT_ACCEPTED = 1


def run(flags: ProfileFlags) -> int:
    """One candidate; 1 where it did not build or did not survive."""
    _check(flags)
    task = resolve(flags.task)
    (candidate,) = load_candidates([flags.candidate], task)

    from assay.profile.profiler import Subject, profile
    from assay.tasks.references.reference import Reference

    reference = Reference(task)
    axes = reference.own_axes | axes_at(flags.at or [], reference.own_axes)
    settings = Settings(device=flags.device, timeout_s=flags.timeout_s)
    subject = Subject(reference, axes, settings, not flags.no_ncu, flags.trust)
    with ProgressLine(progress_console(), task.id, done="Profiled") as line:
        found = profile(
            subject,
            candidate,
            lambda stage, share: line.show(Progress(candidate.name, 0, 1, stage, share)),
        )
    failed = isinstance(found, NotProfiled)
    if flags.json:
        sys.stdout.write(found.model_dump_json() + "\n")
    elif isinstance(found, NotProfiled):
        result_console().print(not_profiled_page(found))
    else:
        result_console().print(profile_page(found, sentences(found)))
    return _NOT_ACCEPTED if failed else 0


def _check(flags: ProfileFlags) -> None:
    """Mistakes in the command itself, before anything is loaded."""
    if not backend(flags.device).accelerated:
        raise UsageError(
            f"a profile is made of a GPU's own kernel records, and {flags.device} has none: say "
            "--device cuda (whose code runs on a CPU is in the verdict of assay eval)"
        )
    if flags.trust and flags.no_ncu:
        raise UsageError("--trust is for reading counters, and --no-ncu leaves them out: give one")
