"""Assay judges compute kernels that AI systems write: is it right, is it honest, is it fast?"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from assay.data.candidate import Candidate
    from assay.data.settings import Settings
    from assay.data.task import Task
    from assay.data.verdict import Verdict

__version__ = "0.1.0"
__all__ = ["__version__", "evaluate"]


def evaluate(
    task: str | Task, candidate: str | Path | Candidate, settings: Settings | None = None
) -> Verdict:
    """Judge one candidate of one task: what `assay eval` does, from Python."""
    from assay.pipeline import evaluate as judge  # imported when asked for: `import assay` is quick

    return judge(task, candidate, settings)
