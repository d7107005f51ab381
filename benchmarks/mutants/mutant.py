"""Mutant: one kernel with one fault, under a name that stays the same from run to run.

The rule: the id holds the kernel, the kind, the number of the site and a hash of the whole text, so
that a note about a mutant ends with the text it was written for.
"""

from __future__ import annotations

import hashlib
import platform
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from assay.data.candidate import Candidate
from mutants.edit import Edit
from mutants.kernel import Kernel

# Half precision as the C++ compilers of this machine call it.
_HALF = "__fp16" if platform.machine() in ("aarch64", "arm64") else "_Float16"


@dataclass(frozen=True)
class Mutant:
    """A kernel, a kind of fault, and the text with that fault in it."""

    kernel: Kernel
    kind: str
    site: int
    text: str

    @property
    def id(self) -> str:
        """Path, kind, site and content."""
        digest = hashlib.sha256(self.text.encode()).hexdigest()[:8]
        return f"{self.kernel.path}:{self.kind}:{self.site}:{digest}"

    @property
    def candidate(self) -> Candidate:
        """What is judged, on every machine under the same id."""
        return self.kernel.candidate(self.id, self.text.replace("_Float16", _HALF))


def mutants(kernel: Kernel, edits: Iterable[Edit]) -> Iterator[Mutant]:
    """One mutant an edit, numbered within its kind; a text that was there before is left out."""
    seen, sites = {kernel.text}, Counter[str]()
    for edit in edits:
        text = edit.apply(kernel.text)
        if text not in seen:
            seen.add(text)
            yield Mutant(kernel, edit.kind, sites[edit.kind], text)
            sites[edit.kind] += 1
