"""PackageView: which installed packages a sandbox shows.

The rule: what a candidate does not need is not there. Torch, NumPy, what compiles and loads
extensions, what the candidate's languages declare, what the user names, and what these require are
shown; every other entry of every package folder that the sandbox could reach is not.
"""

from __future__ import annotations

import functools
import os
import sys
from collections.abc import Iterable
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

from assay.sandbox.host.installed_packages import import_name, installed, normal

PACKAGE_FOLDERS = ("site-packages", "dist-packages")
# Torch imports the optional ones where they are there. Compilers and loaders compute nothing.
ALWAYS = tuple(
    """torch numpy opt_einsum optree setuptools wheel packaging ninja cffi pybind11 nanobind
    Cython""".split()
)
_PATTERNS = ("lib*/python3*/*-packages", "local/lib*/python3*/*-packages")


@dataclass(frozen=True)
class PackageView:
    """What of the package folders exists in a sandbox."""

    folders: tuple[str, ...] = ()  # of packages; of each only the entries below are shown
    shown: tuple[str, ...] = ()  # paths in those folders
    beside: tuple[str, ...] = ()  # packages that lie elsewhere: editable installs
    hidden: tuple[str, ...] = ()  # names that could be imported and cannot be here


def package_view(names: Iterable[str], roots: tuple[str, ...]) -> PackageView:
    """The view that shows these packages, of all that lies below the roots of a sandbox."""
    return _package_view(tuple(dict.fromkeys((*ALWAYS, *names))), roots, tuple(sys.path))


@functools.lru_cache(maxsize=8)
def _package_view(
    names: tuple[str, ...], roots: tuple[str, ...], path: tuple[str, ...]
) -> PackageView:
    folders = package_folders(roots)
    imported = {os.path.realpath(place) for place in path if _is_package_folder(place)}
    used = [folder for folder in folders if os.path.realpath(folder) in imported]
    kept, elsewhere = _closure(names, sorted(imported))
    shown = [f"{folder}/{entry}" for folder in used for entry in sorted(kept)]
    found = {entry for folder in imported for entry in installed(folder).entries} - kept
    never = {*sys.stdlib_module_names, "assay"}  # ours is out of reach whatever is shown
    hidden = {name for name in map(import_name, found) if name} - never
    return PackageView(
        folders,
        tuple(place for place in shown if os.path.lexists(place)),
        tuple(place for name in elsewhere for place in _location(name)),
        tuple(sorted(hidden - {import_name(entry) for entry in kept})),
    )


def package_folders(roots: tuple[str, ...]) -> tuple[str, ...]:
    """Every package folder below the roots, by the paths under which a sandbox has them."""
    found = [(root, root) for root in roots]
    for root in roots:
        found += [(root, str(place)) for one in _PATTERNS for place in Path(root).glob(one)]
    real = [(root, place) for root, place in found if _is_package_folder(place)]
    return tuple(dict.fromkeys(_below(root, place) for root, place in real))


def _below(root: str, place: str) -> str:
    """A path without links below a root, which is a mount under its own name."""
    base, target = os.path.realpath(root), os.path.realpath(place)
    inside = target == base or target.startswith(f"{base}/")
    return root + target[len(base) :] if inside and not os.path.islink(root) else target


def _is_package_folder(place: str) -> bool:
    return os.path.basename(place) in PACKAGE_FOLDERS


def _closure(names: Iterable[str], folders: list[str]) -> tuple[set[str], list[str]]:
    """Entries of these packages and of all they require, and the names that have none here."""
    queue, met, kept, elsewhere = list(names), set[str](), set[str](), list[str]()
    asked = set(queue)
    while queue:
        name = queue.pop()
        if normal(name) in met:
            continue
        met.add(normal(name))
        entries, requires = set[str](), list[str]()
        for folder in folders:
            more, needed = installed(folder).of(name)
            entries |= more
            requires += needed
        if name in asked and not any(import_name(entry) == name for entry in entries):
            elsewhere.append(name)
        kept |= entries
        queue += requires
    return kept, sorted(elsewhere)


def _location(name: str) -> list[str]:
    """Where a package lies that no package folder holds; it is looked for, not imported."""
    try:
        found = find_spec(name)
    except (ImportError, ValueError, AttributeError):
        return []
    if found is None or found.origin in (None, "built-in", "frozen"):
        return []
    places = list(found.submodule_search_locations or ()) or [str(found.origin)]
    return [os.path.realpath(place) for place in places]
