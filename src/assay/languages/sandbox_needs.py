"""SandboxNeeds: what the sandboxes of candidates must hold beyond what all do.

The rule: it follows from the candidates' languages, their sources and the settings alone, so that
the same candidate is shown the same modules and packages wherever it is judged.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from assay.data.candidate import Candidate
from assay.data.settings import Settings
from assay.languages.language_registry import language, needed_packages


@dataclass(frozen=True)
class SandboxNeeds:
    """Of one candidate, or of several that share a wall."""

    modules: tuple[str, ...]  # imported in the warm parent
    packages: tuple[str, ...]  # that may be imported

    @classmethod
    def of(cls, candidates: Iterable[Candidate], settings: Settings) -> SandboxNeeds:
        """What the languages preload and declare, and what the user names."""
        given = list(candidates)
        modules = sorted({name for one in given for name in language(one.language).preload})
        declared = [n for one in given for n in needed_packages(one.sources, one.language)]
        packages = tuple(dict.fromkeys((*declared, *settings.allow_packages)))
        return cls(tuple(modules), packages)
