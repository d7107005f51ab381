"""Judging generated modules: several behind one wall, each with an exam of its own."""

from __future__ import annotations

import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from assay.context import EvaluationContext
from assay.data.settings import Level, Settings, Track
from assay.data.verdict import Verdict
from assay.languages.candidate_file import load_candidate
from assay.languages.language_registry import language
from assay.pipeline import evaluate_in_order
from assay.sandbox.host.wall import Wall
from assay.tasks.catalog import resolve
from fuzzing.draft import Module
from fuzzing.record import Finding

_SETTINGS = Settings(level=Level.QUICK, track=Track.OPEN, timing=False)


def judge(seed: int, modules: Sequence[Module]) -> list[Finding]:
    """One finding each."""
    preload = tuple(sorted(language("torch").preload))
    with Wall(preload, expected=len(modules)) as wall:
        return [_finding(seed, module, wall) for module in modules]


def _finding(seed: int, module: Module, wall: Wall) -> Finding:
    started = time.monotonic()
    verdict = _verdict(module, wall)
    return Finding(
        seed=seed,
        number=module.number,
        status=verdict.status.value,
        reason=verdict.reason,
        features=module.features,
        elapsed_s=round(time.monotonic() - started, 2),
    )


def _verdict(module: Module, wall: Wall) -> Verdict:
    with tempfile.TemporaryDirectory() as folder:
        task, candidate = Path(folder) / "task.py", Path(folder) / "kernel.py"
        task.write_text(module.task, encoding="utf-8")
        candidate.write_text(module.candidate, encoding="utf-8")
        context = EvaluationContext(wall, resolve(str(task)), _SETTINGS, None)
        (judgement,) = evaluate_in_order(context, [load_candidate(candidate)])
        return judgement.verdict
