"""Obstacle: why a candidate could not run, where its own words tell that it is not a mere bug.

The rule: the sentence names what is missing and what to type next, in one line. What Triton's
interpreter lacks is no fault of the kernel: it is `not_run`, which never passes and blames nobody.
The words come from the candidate's process, so they can only explain a failure, never undo one.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.data.candidate import Language
from assay.data.verdict import Status
from assay.judge.case import Case

# What the interpreter raises where it lacks an operation, an attribute or a compiler.
_GAPS = (
    re.compile(r"'InterpreterBuilder' object has no attribute '(?:create_|get_)?(\w+)'"),
    re.compile(r"'InterpretedFunction' object has no attribute '(\w+)'"),
    re.compile(r"InterpreterError\W+NotImplementedError\W*([^'\")]*)"),
    re.compile(r"(?:InterpreterError|RuntimeError|NotImplementedError)\b.*?(\S[^'\"]*"
               r" not supported in (?:the )?interpreter[^'\"]*)"),
    re.compile(r"(`?_semantic`?) argument must be provided outside of JIT functions"),
    re.compile(r"RuntimeError: (\w+): there is no device here"),
)  # fmt: skip
_MISSING = re.compile(r"ModuleNotFoundError: No module named '([\w.]+)'")
_CUDA = re.compile(
    r"Torch not compiled with CUDA enabled|Found no NVIDIA driver|No CUDA GPUs are available"
    r"|No CUDA runtime is found|CUDA_HOME environment variable is not set"
    r"|[Ee]xpected .{0,40}\bcuda\b.{0,40} (?:but|got|device)|must be (?:a )?CUDA tensors?"
    r"|(?:must|should) be on (?:the )?(?:CUDA|GPU)|Pointer argument .* cannot be accessed"
)


@dataclass(frozen=True, slots=True)
class Obstacle:
    """What stood in the way; `status` where it is not the one that a failure has anyway."""

    text: str
    status: Status | None = None


def obstacle(case: Case, message: str) -> Obstacle | None:
    """The obstacle that a message tells of; None for an ordinary failure."""
    missing = _MISSING.search(message)
    if missing is not None:
        return _missing_package(case, missing.group(1).split(".")[0])
    if case.settings.device != "cpu":
        return None
    if case.candidate.language is Language.TRITON:
        for pattern in _GAPS:
            gap = pattern.search(message)
            if gap is not None:
                return _gap(gap.group(1).strip() or "an operation of this kernel")
    if _CUDA.search(message):
        return Obstacle("the kernel asks for a CUDA device; use --device cuda")
    return None


def _gap(what: str) -> Obstacle:
    text = f"Triton's interpreter cannot run {what}; judge it on a GPU: --device cuda"
    return Obstacle(text, Status.NOT_RUN)


def _missing_package(case: Case, name: str) -> Obstacle:
    if name in case.settings.allow_packages:
        mend = f"pip install {name}"
    else:
        mend = f"pip install {name}, then --allow-package {name}"
    return Obstacle(f"the package {name} is not installed: {mend}")
