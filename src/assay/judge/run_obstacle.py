"""Obstacle: why a candidate could not run, where its own words tell that it is not a mere bug.

The rule: the sentence names what is missing and what to type next, in one line. What an
interpreter lacks is no fault of the kernel: it is `not_run`, which never passes and blames nobody.
The words come from the candidate's process, so they can only explain a failure, never undo one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.data.observations.observation import LayersSeen
from assay.data.verdict import Status
from assay.devices.device_registry import DEVICES, is_accelerated
from assay.judge.judge_input import JudgeInput
from assay.languages.language_registry import LANGUAGES, language

_MISSING = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_ASKED = re.compile(r"ImportError: '?(\w+)'? ")  # a library's own words: `scipy 0.16+ is required`


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What stood in the way; `status` where it is not the one that a failure has anyway."""

    text: str
    status: Status | None = None


def obstacle(case: JudgeInput, message: str) -> Obstacle | None:
    """The obstacle that a message tells of; None for an ordinary failure."""
    missing = _MISSING.search(message)
    asked = _ASKED.search(message)
    if missing is None and asked is not None and asked.group(1) in _hidden(case):
        return _hidden_package(asked.group(1))
    if missing is not None:
        return _missing_package(case, missing.group(1).split(".")[0])
    if is_accelerated(case.settings.device):
        return None
    gap = _gap(case.candidate.language, message)
    if gap is not None:
        return Obstacle(f"{gap}; judge it on a GPU: --device cuda", Status.NOT_RUN)
    for device in DEVICES.working():
        wanted = device.asked_for(message)
        if wanted is not None:
            return Obstacle(f"the kernel asks for {wanted}; use --device {device.name}")
    return None


def _gap(name: str, message: str) -> str | None:
    """What the interpreter of a language cannot run; nothing for one that is not known here."""
    return language(name).lacks(message) if name in LANGUAGES.names() else None


def _missing_package(case: JudgeInput, name: str) -> Obstacle:
    if name in _hidden(case):
        return _hidden_package(name)
    if name in case.settings.allow_packages:
        mend = f"pip install {name}"
    else:
        mend = f"pip install {name}, then --allow-package {name}"
    return Obstacle(f"the package {name} is not installed: {mend}")


def _hidden_package(name: str) -> Obstacle:
    return Obstacle(
        f"the package {name} is hidden: no kernel of this language needs it; "
        f"--allow-package {name} shows it"
    )


def _hidden(case: JudgeInput) -> frozenset[str]:
    """Packages that are installed and that the candidate was not shown."""
    return frozenset(name for seen in case.seen(LayersSeen) for name in seen.hidden_packages)
