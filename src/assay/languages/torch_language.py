"""Plain torch: a candidate that defines no kernel language of its own.

The rule: it is always available, because Assay itself stands on torch.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from assay.languages.language import KernelTarget, Language

if TYPE_CHECKING:
    from assay.languages.source_use import SourceUse


class TorchLanguage(Language):
    """Candidates made of torch calls; honest on the `open` track."""

    name = "torch"
    specificity = 0
    preload = ("torch", "torch.nn.functional")

    def detect(self, use: SourceUse) -> bool:
        """What is nothing else is this."""
        return True

    def environment(self, target: KernelTarget, home: str) -> dict[str, str]:
        """Torch compiles extensions and whole models, and keeps what it made."""
        return {
            "TORCH_EXTENSIONS_DIR": f"{home}/extensions",
            "TORCHINDUCTOR_CACHE_DIR": f"{home}/inductor",
            "TORCHINDUCTOR_COMPILE_THREADS": "1",
        }
