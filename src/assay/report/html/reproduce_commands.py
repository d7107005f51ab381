"""The commands that repeat one verdict, ready to paste into a shell.

The rule: every word is quoted, because names are those of candidates. What the record fixes
(device, level, track, TF32) is left out where there is a record to replay.
"""

from __future__ import annotations

import shlex
from collections.abc import Sequence
from dataclasses import dataclass

from assay.data.run import Judgement
from assay.data.settings import Settings

RECORD = "record.json"


@dataclass(frozen=True)
class VerdictOrigin:
    """Where verdicts come from: a stored run, or one call of `assay eval`."""

    asked: str  # the suite or task as the user gave it
    place: str = ""  # of the store; empty where the report itself holds the record

    def task(self, task_id: str) -> str:
        """The task as `assay eval` takes it."""
        if self.asked == "native" or task_id in self.asked.split():
            return task_id
        if ":" in self.asked and "#" not in self.asked:
            return f"{self.asked}#{task_id}"
        return self.asked


def commands(origin: VerdictOrigin, number: int, judgement: Judgement) -> tuple[str, ...]:
    """Fetch the record where it is stored, then judge with it."""
    fetch = []
    replays = judgement.verdict.plan is not None
    if origin.place and replays:
        fetch = [f"{shlex.join(['assay', 'show', origin.place, str(number), '--json'])} > {RECORD}"]
    words = ["assay", "eval", origin.task(judgement.task.id), _path(judgement.candidate.name)]
    words += ["--replay", RECORD] if replays else _fixed(judgement.settings)
    return (*fetch, shlex.join([*words, *_flags(judgement.settings)]))


def _path(name: str) -> str:
    """A name that is no flag; one with control characters is not for a terminal."""
    if not name.isprintable():
        return "CANDIDATE"
    return f"./{name}" if name.startswith("-") else name


def _fixed(settings: Settings) -> list[str]:
    """What a record would say."""
    words = ["--device", settings.device, "--level", settings.level.value]
    words += ["--track", settings.track.value]
    return [*words, "--tf32", "on"] if settings.tf32 else words


def _flags(settings: Settings) -> list[str]:
    """What differs from the defaults and is in no plan."""
    usual, words = Settings(), list[str]()
    if not settings.timing:
        words.append("--no-timing")
    elif settings.baselines != usual.baselines:
        words += _repeated("--baseline", settings.baselines)
    if settings.timing and settings.cache is not usual.cache:
        words += ["--cache", settings.cache.value]
    for name in ("timeout_s", "build_timeout_s", "min_coverage"):
        value = getattr(settings, name)
        if value != getattr(usual, name):
            words += [f"--{name.replace('_', '-')}", f"{value:g}"]
    words += ["--explain"] if settings.explain else []
    words += ["--first-fault"] if settings.first_fault else []
    return [*words, *_repeated("--allow-package", settings.allow_packages)]


def _repeated(flag: str, values: Sequence[str]) -> list[str]:
    return [word for value in values for word in (flag, value)]
