"""`assay verify`: an archive that `assay bundle` wrote, checked by someone else.

The rule: first the archive itself, then its verdicts from the stored observations, and with
`--measure` its candidates, evaluated again. Each says what it shows and no more.
"""

from __future__ import annotations

import sys
from contextlib import ExitStack

from assay.app.flag_settings import checked_packages, note
from assay.app.published.publish_flags import VerifyFlags
from assay.app.suite.tasks_command import is_suite
from assay.data.published.bundle import VerifiedEntry
from assay.data.verdict import Status
from assay.devices import device_registry
from assay.engine.bundle_check import MeasuringAgain, disagreements, verified
from assay.engine.judge import Judge
from assay.report.claimed.verify_text import verified_line, verified_summary
from assay.report.console import result_console
from assay.store.bundles.opened_bundle import OpenedBundle, opened_bundle
from assay.tasks.catalog import resolve, tasks_of


def run(flags: VerifyFlags) -> int:
    """One line a candidate, and a summary."""
    found, console = list[VerifiedEntry](), result_console()
    with opened_bundle(flags.bundle, flags.id) as bundle, ExitStack() as stack:
        measuring = _measuring(flags, bundle, stack) if flags.measure else None
        for entry, stored in bundle.judgements():
            one = verified(entry, stored, bundle.manifest)
            if measuring is not None and stored is not None:
                again = measuring.measured(entry, stored)
                if isinstance(again, str):
                    note(f"{entry.candidate.name} is not measured: {again}")
                    one = one.model_copy(update={"why": f"{one.why} not measured: {again}".strip()})
                else:
                    one = one.model_copy(update={"measured": again})
            found.append(one)
            if flags.json:
                sys.stdout.write(one.model_dump_json() + "\n")
                sys.stdout.flush()
            else:
                console.print(verified_line(one))
        if not flags.json:
            console.print(verified_summary(found, bundle.manifest, bundle.id))
    return _exit_code(found)


def _measuring(flags: VerifyFlags, bundle: OpenedBundle, stack: ExitStack) -> MeasuringAgain:
    device = flags.device or bundle.run.settings.device
    device_registry.for_judging(device)
    tasks = tasks_of(flags.suite) if is_suite(flags.suite) else (resolve(flags.suite),)
    packages = checked_packages(flags.allow_package or ())
    return MeasuringAgain(stack.enter_context(Judge(device, 1)), tasks, device, packages)


def _exit_code(found: list[VerifiedEntry]) -> int:
    if any(one.measured and one.measured.status is Status.NOT_RUN for one in found):
        return 3
    return 1 if any(disagreements(found)) else 0
