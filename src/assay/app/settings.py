"""Flags resolved once into Settings, in which nothing is optional."""

from __future__ import annotations

import math
import sys
from pathlib import Path

from pydantic import ValidationError

from assay.app.flags import EvalFlags
from assay.data.baselines import NAMES
from assay.data.candidate import Candidate
from assay.data.plan import Plan
from assay.data.run import Judgement
from assay.data.settings import Cache, Level, Settings, Track
from assay.data.task import Task
from assay.errors import UsageError

_SOURCE_SUFFIXES = (".py", ".cpp", ".cc", ".cxx", ".cu")


def settings_from(flags: EvalFlags, record: Judgement | None) -> Settings:
    """What was asked for, with level, track and TF32 policy of the record that is replayed."""
    _check_seconds("--timeout-s", flags.timeout_s)
    _check_seconds("--build-timeout-s", flags.build_timeout_s)
    baselines = tuple(dict.fromkeys(flags.baseline or Settings().baselines))
    for baseline in baselines:
        _check_baseline(baseline)
    level = Level(flags.level or Settings().level)
    track = Track(flags.track or Settings().track)
    tf32 = flags.tf32 or _switch(Settings().tf32)
    if record is not None:
        level = Level(_agreed("--level", flags.level, record.settings.level))
        track = Track(_agreed("--track", flags.track, record.settings.track))
        tf32 = _agreed("--tf32", flags.tf32, _switch(record.settings.tf32))
    return Settings(
        device=flags.device,
        track=track,
        level=level,
        timing=not flags.no_timing,
        baselines=baselines,
        cache=Cache(flags.cache),
        tf32=tf32 == _switch(True),
        timeout_s=flags.timeout_s,
        build_timeout_s=flags.build_timeout_s,
        jobs=flags.jobs,
        explain=flags.explain,
        first_fault=flags.first_fault,
    )


def read_record(path: Path) -> Judgement:
    """The record that `--out` wrote."""
    try:
        return Judgement.model_validate_json(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "not a text file"
        raise UsageError(f"cannot read the record {path}: {reason}") from error
    except ValidationError as error:
        first = error.errors()[0]
        place = ".".join(str(part) for part in first["loc"]) or "the whole file"
        raise UsageError(
            f"{path} is not a record that `assay eval --out` wrote: {first['msg']} ({place})"
        ) from error


def note_differences(record: Judgement, task: Task, candidates: list[Candidate]) -> None:
    """Say where a replay is not exact: the same secret for something else is still legal."""
    differs = []
    if record.task.content_id != task.content_id:
        differs.append("task")
    if any(candidate.id != record.candidate.id for candidate in candidates):
        differs.append("candidate")
    if differs:
        text = f"assay: the {' and '.join(differs)} differ from the record's: not an exact replay"
        print(text, file=sys.stderr)  # noqa: T201


def plan_of(record: Judgement) -> Plan:
    """The secret and the workloads to use again."""
    if record.verdict.plan is None:
        raise UsageError("the record holds no plan: that evaluation never came so far")
    return record.verdict.plan


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
    if "/" in baseline or baseline.endswith(_SOURCE_SUFFIXES):
        raise UsageError(f"no such baseline file: {baseline}")
    raise UsageError(f"baseline {baseline!r} is neither a file nor one of: {', '.join(NAMES)}")
