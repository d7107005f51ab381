"""PackageFinder: Python's own finder of modules, less the packages that a sandbox does not show.

The rule: the warm parent imports with it too, so that nothing hidden is in memory when a candidate
comes. Layers keep the files out of reach; where no layer can, this is all there is, and native code
never meets it.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType


@dataclass(frozen=True)
class ShownPackages:
    """Package folders, and the paths in them that are shown."""

    folders: tuple[str, ...] = ()
    shown: frozenset[str] = frozenset()

    def hides(self, place: str) -> bool:
        """Whether a path lies in an entry of a package folder that is not shown."""
        for folder in self.folders:
            if place.startswith(f"{folder}/"):
                entry = place[len(folder) + 1 :].partition("/")[0]
                return f"{folder}/{entry}" not in self.shown
        return False


class PackageFinder(PathFinder):
    """Finds what Python finds, and nothing in a hidden package. One a process."""

    packages = ShownPackages()

    @classmethod
    def find_spec(
        cls, fullname: str, path: Sequence[str] | None = None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """As Python does; where the first match is hidden, the other places are searched."""
        places = sys.path if path is None else path
        found = super().find_spec(fullname, path, target)
        if found is None or not _is_hidden(found, cls.packages):
            return found
        others = [place for place in places if place not in cls.packages.folders]
        again = super().find_spec(fullname, others, target)
        return None if again is None or _is_hidden(again, cls.packages) else again


def show_only(folders: tuple[str, ...], shown: tuple[str, ...]) -> None:
    """From now on in this process and its children; without folders everything is shown again."""
    PackageFinder.packages = ShownPackages(folders, frozenset(shown))
    ours = (PathFinder, PackageFinder)
    sys.meta_path[:] = [PackageFinder if one in ours else one for one in sys.meta_path]


def _is_hidden(found: ModuleSpec, packages: ShownPackages) -> bool:
    places = [found.origin] if found.origin else list(found.submodule_search_locations or ())
    return any(packages.hides(one) for place in places for one in (place, os.path.realpath(place)))
