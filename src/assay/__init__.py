"""Assay judges compute kernels that AI systems write: is it right, is it honest, is it fast?

    from assay import evaluate
    verdict = evaluate("softmax", "kernel.py", level="quick", timing=False)

What is exported is imported when it is first asked for: `import assay` is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.data.settings import Level, Settings, Track
    from assay.data.verdict import Status, Verdict
    from assay.engine.judge import Judge
    from assay.errors import AssayError, HostError, TaskError, UsageError
    from assay.pipeline import evaluate, evaluate_many

__version__ = "0.1.0"
__all__ = [
    "AssayError",
    "HostError",
    "Judge",
    "Level",
    "Settings",
    "Status",
    "TaskError",
    "Track",
    "UsageError",
    "Verdict",
    "__version__",
    "evaluate",
    "evaluate_many",
]
_PLACES = {
    "assay.data.settings": ("Level", "Settings", "Track"),
    "assay.data.verdict": ("Status", "Verdict"),
    "assay.engine.judge": ("Judge",),
    "assay.errors": ("AssayError", "HostError", "TaskError", "UsageError"),
    "assay.pipeline": ("evaluate", "evaluate_many"),
}


def __getattr__(name: str) -> Any:
    for module, names in _PLACES.items():
        if name in names:
            return getattr(import_module(module), name)
    raise AttributeError(f"module 'assay' has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})
