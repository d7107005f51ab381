"""Plug-ins: what Assay itself brings of a kind, and what other distributions add by entry point.

The rule: nothing is imported before it is asked for, and no outside plug-in replaces one of ours.
One that cannot be loaded is named with its distribution and never ends in a traceback: it is an
error where it was asked for by name, and a warning where all of its kind are asked.
"""

from __future__ import annotations

import functools
import logging
import os
import sys
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.metadata import Distribution, EntryPoint, distributions
from importlib.util import find_spec
from typing import Any, Generic, TypeVar, cast

from assay.errors import UsageError

T = TypeVar("T")


@dataclass(frozen=True)
class PlugIn:
    """Where a plug-in is found: `module:Class`, and whose it is (empty: our own)."""

    target: str
    distribution: str = ""

    def make(self) -> object:
        """An instance, made without arguments; whatever its module raises comes through."""
        module, _, attribute = self.target.partition(":")
        return getattr(import_module(module.strip()), attribute.strip())()

    def package(self) -> str | None:
        """The folder or file of its top-level package, which is looked for and not imported."""
        try:
            found = find_spec(self.target.partition(":")[0].partition(".")[0].strip())
        except (ImportError, ValueError):
            return None
        folders = list(found.submodule_search_locations or ()) if found else []
        place = folders[0] if folders else found.origin if found else None
        return os.path.realpath(place) if place else None


def _singular(nouns: str) -> str:
    return f"{nouns[:-3]}y" if nouns.endswith("ies") else nouns.removesuffix("s")


class Registry(Generic[T]):
    """All plug-ins of one kind, by name. `contract` is the class that each of them extends."""

    def __init__(self, contract: type[Any], group: str, built_in: Mapping[str, str]) -> None:
        self._contract, self._group = contract, group
        self._noun = _singular(group.rpartition(".")[2])
        self.built_in = {name: PlugIn(target) for name, target in built_in.items()}
        self._made: dict[str, T] = {}

    def names(self) -> tuple[str, ...]:
        """Every name, ours first."""
        return tuple(self._known())

    def get(self, name: str) -> T:
        """The plug-in of that name; a UsageError for one that is unknown or cannot be loaded."""
        if name not in self._made:
            found = self._known().get(name)
            if found is None:
                known = ", ".join(self.names())
                raise UsageError(f"unknown {self._noun} '{name}'; known: {known}")
            self._made[name] = self._load(name, found)
        return self._made[name]

    def working(self) -> tuple[T, ...]:
        """All that can be loaded; a warning names each of the others once."""
        found = []
        for name in self.names():
            try:
                found.append(self.get(name))
            except UsageError as error:
                _warn(str(error))
        return tuple(found)

    def _known(self) -> dict[str, PlugIn]:
        found = dict(self.built_in)
        for group, name, plug_in in _outside(tuple(sys.path)):
            if group == self._group:
                found.setdefault(name, plug_in)
        return found

    def _load(self, name: str, found: PlugIn) -> T:
        try:
            made = found.make()
        except Exception as error:
            if not found.distribution:
                raise
            why = f"{type(error).__name__}: {error}".partition("\n")[0]
        else:
            if not isinstance(made, self._contract):
                why = f"{found.target} does not extend {self._contract.__name__}"
            elif getattr(made, "name", None) != name:
                why = f"{found.target} does not carry its name"
            else:
                return cast(T, made)
        raise UsageError(
            f"{self._noun} '{name}' of the distribution {found.distribution} cannot be loaded: "
            f"{why}; mend or uninstall it"
        )


def outside_packages(*groups: str) -> tuple[str, ...]:
    """Folders and files of the packages in which other distributions' plug-ins of a group lie."""
    found = [one.package() for group, _, one in _outside(tuple(sys.path)) if group in groups]
    return tuple(dict.fromkeys(place for place in found if place))


@functools.cache
def _warn(text: str) -> None:
    logging.getLogger(__name__).warning("%s", text)


@functools.cache
def _outside(path: tuple[str, ...]) -> tuple[tuple[str, str, PlugIn], ...]:
    """Group, name and plug-in; the first on the path comes first. It takes some milliseconds."""
    return tuple(
        (point.group, point.name, PlugIn(point.value, distribution.name))
        for distribution in distributions(path=list(path))
        for point in _points(distribution)
        if point.group.startswith("assay.")
    )


def _points(distribution: Distribution) -> Iterator[EntryPoint]:
    """Nothing where a distribution's metadata cannot be read: that is for its installer to say."""
    try:
        yield from distribution.entry_points
    except Exception as error:
        _warn(f"the entry points of a distribution cannot be read: {error}")
