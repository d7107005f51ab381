"""Assay judges compute kernels that AI systems write: is it right, is it honest, is it fast?"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from assay.evaluate import evaluate as evaluate

__version__ = "0.1.0"
__all__ = ["__version__", "evaluate"]


def __getattr__(name: str) -> Any:
    """Import the pipeline only when it is asked for: `import assay` stays instant."""
    if name == "evaluate":
        from assay.evaluate import evaluate

        return evaluate
    raise AttributeError(f"module 'assay' has no attribute {name!r}")
