"""Flags resolved once into Settings, in which nothing is optional."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path

from assay.app.flags import JudgingFlags
from assay.app.replay import Replayed
from assay.data.baselines import NAMES
from assay.data.settings import Cache, Level, Settings, Track
from assay.devices.device_registry import usual_jobs
from assay.errors import UsageError
from assay.languages.language_registry import LANGUAGES, source_suffixes
from assay.report.control_characters import without_controls


def settings_from(flags: JudgingFlags, replayed: Replayed | None) -> Settings:
    """What was asked for, with device, level, track and TF32 policy of what is replayed."""
    _check_seconds("--timeout-s", flags.timeout_s)
    _check_seconds("--build-timeout-s", flags.build_timeout_s)
    baselines = tuple(dict.fromkeys(flags.baseline or Settings().baselines))
    for baseline in baselines:
        _check_baseline(baseline)
    level = Level(flags.level or Settings().level)
    track = Track(flags.track or Settings().track)
    tf32 = flags.tf32 or _switch(Settings().tf32)
    device = flags.device or Settings().device
    if replayed is not None:
        plan = replayed.plan
        device = _agreed("--device", flags.device, plan.device)
        level = Level(_agreed("--level", flags.level, plan.level))
        track = Track(_agreed("--track", flags.track, plan.track))
        tf32 = _agreed("--tf32", flags.tf32, _switch(plan.tf32))
    return Settings(
        device=device,
        track=track,
        level=level,
        time_shapes=flags.time_shapes,
        timing=_timing(flags, level),
        baselines=baselines,
        cache=Cache(flags.cache),
        tf32=tf32 == _switch(True),
        timeout_s=flags.timeout_s,
        build_timeout_s=flags.build_timeout_s,
        jobs=flags.jobs or usual_jobs(device),
        explain=flags.explain,
        min_coverage=flags.min_coverage,
        allow_packages=checked_packages(flags.allow_package or ()),
        first_fault=flags.first_fault,
    )


def _timing(flags: JudgingFlags, level: Level) -> bool:
    """As asked; where nobody said, as the level does, and where shapes are to be timed."""
    if flags.time_shapes and flags.timing is False:
        raise UsageError("--time-shapes measures speed, which --no-timing switches off")
    return (level.times_by_default or flags.time_shapes) if flags.timing is None else flags.timing


def note(text: str) -> None:
    """Say something that is neither a result nor a mistake."""
    print(f"assay: {without_controls(text)}", file=sys.stderr)  # noqa: T201


def checked_packages(names: Iterable[str]) -> tuple[str, ...]:
    """Top-level names of packages; the judge's own is never shown, and some always are."""
    kept = tuple(dict.fromkeys(names))
    shown = {name.partition(".")[0] for one in LANGUAGES.working() for name in one.preload}
    for name in kept:
        if not name.isidentifier():
            raise UsageError(f"--allow-package takes the name of a package, not {name!r}")
        if name == "assay":
            raise UsageError("--allow-package assay: the judge is never shown to a kernel")
        if not _is_installed(name):
            raise UsageError(f"--allow-package {name}: no package of this name is installed here")
        if name in shown:
            raise UsageError(f"--allow-package {name}: it is shown to every kernel of its language")
    return kept


def _is_installed(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except (ImportError, ValueError):
        return False


def _agreed(flag: str, given: str | None, recorded: str) -> str:
    if given is not None and given != recorded:
        raise UsageError(f"{flag} {given} contradicts the record, which says {recorded}")
    return recorded


def _switch(on: bool) -> str:
    return "on" if on else "off"


def _check_seconds(flag: str, value: float) -> None:
    if not math.isfinite(value) or value <= 0:
        raise UsageError(f"{flag} must be a positive number of seconds, not {value:g}")


def _check_baseline(baseline: str) -> None:
    if baseline in NAMES or Path(baseline).exists():
        return
    if "/" in baseline or baseline.endswith(source_suffixes()):
        raise UsageError(f"no such baseline file: {baseline}")
    raise UsageError(f"baseline {baseline!r} is neither a file nor one of: {', '.join(NAMES)}")
