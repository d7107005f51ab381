"""InstalledPackages: which entries of the package folders belong to a package and its requirements.

The rule: nothing is imported. A distribution's own records say what it owns and what it requires;
what only an extra of it requires is not required. A package without records owns what bears its
name.
"""

from __future__ import annotations

import functools
import os
import re
from functools import cached_property
from importlib.metadata import Distribution
from pathlib import Path

_RECORDS = (".dist-info", ".egg-info")
_REQUIREMENT = re.compile(r"\s*([A-Za-z0-9._-]+)")
_MODULE_FILE = re.compile(r"(\w+)(\.py|(\.[\w-]+)*\.so)$")


class InstalledPackages:
    """Everything in one package folder; records are read when they are asked for."""

    def __init__(self, folder: str) -> None:
        try:
            self.entries = frozenset(os.listdir(folder))
        except OSError:
            self.entries = frozenset()  # an unreadable folder holds nothing
        self._folder = Path(folder)
        self._records = sorted(name for name in self.entries if name.endswith(_RECORDS))

    def of(self, name: str) -> tuple[frozenset[str], tuple[str, ...]]:
        """Entries of a package, by its own name or its distribution's, and what it requires."""
        entries = {e for e in self.entries if import_name(e) == name or e == f"{name}.libs"}
        records = [one for one in self._records if _distribution(one) == normal(name)]
        if entries and not records:
            records = self._by_module.get(name, [])
        requires: list[str] = []
        for record in records:
            entries |= self._owned(record) & self.entries
            requires += _required(self._folder / record)
        return frozenset(entries), tuple(requires)

    @cached_property
    def _by_module(self) -> dict[str, list[str]]:
        """Records by the modules that they own. Reading all takes 0.2 s, and few are asked for."""
        found: dict[str, list[str]] = {}
        for record in self._records:
            for module in filter(None, map(import_name, self._owned(record))):
                found.setdefault(module, []).append(record)
        return found

    def _owned(self, record: str) -> set[str]:
        """Names in the folder; what cannot be read owns what bears its name."""
        named = {record, _distribution(record).replace("-", "_")}
        try:
            return _entries(Distribution.at(self._folder / record)) | named
        except (OSError, UnicodeDecodeError):
            return named


@functools.cache
def installed(folder: str) -> InstalledPackages:
    """Read once a process."""
    return InstalledPackages(folder)


def normal(name: str) -> str:
    """A distribution's name as all its spellings are compared."""
    return re.sub(r"[-_.]+", "-", name).lower()


def import_name(entry: str) -> str | None:
    """What an entry of a package folder is imported as; None for records and data."""
    if entry.isidentifier():
        return None if entry == "__pycache__" else entry
    module = _MODULE_FILE.match(entry)
    return module.group(1) if module else None


def _distribution(record: str) -> str:
    """The name in a record's own: `torch-2.13.0.dist-info`."""
    return normal(record.partition("-")[0].removesuffix(".egg"))


def _entries(distribution: Distribution) -> set[str]:
    """First parts of the paths it installed; of older records the modules that it names."""
    recorded = distribution.read_text("RECORD") or ""
    if recorded:
        firsts = {line.lstrip('"').partition("/")[0] for line in recorded.splitlines()}
        return {first.partition(",")[0] for first in firsts} - {"..", "", "__pycache__"}
    modules = (distribution.read_text("top_level.txt") or "").split()
    return {entry for module in modules for entry in (module, f"{module}.py", f"{module}.libs")}


def _required(record: Path) -> list[str]:
    """Names of distributions; what only an extra asks for is left out."""
    try:
        lines = Distribution.at(record).requires or []
    except (OSError, UnicodeDecodeError):
        return []
    named = (_REQUIREMENT.match(line) for line in lines if "extra ==" not in line)
    return [normal(found.group(1)) for found in named if found]
