"""EditBlocks: changes of a parent's source, written as texts to search for and to put there.

    <<<<<<< SEARCH
    lines of the parent
    =======
    lines instead
    >>>>>>> REPLACE

The rule: an edit whose lines are not in the parent, or are there more than once, is refused. No
edit is guessed.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_SEARCH = re.compile(r"<{5,9} ?SEARCH")
_MIDDLE = re.compile(r"={5,9}\s*")
_REPLACE = re.compile(r">{5,9} ?REPLACE")


class EditRefused(Exception):
    """Why the edits of an answer cannot be made."""


@dataclass(frozen=True)
class SourceEdit:
    """One text to be replaced by another."""

    search: str
    replace: str


def edits_of(text: str) -> tuple[SourceEdit, ...]:
    """Every edit of an answer; EditRefused where one is not whole."""
    found: list[SourceEdit] = []
    lines = iter(text.splitlines(keepends=True))
    for line in lines:
        if _SEARCH.match(line):
            found.append(SourceEdit(_upto(lines, _MIDDLE), _upto(lines, _REPLACE)))
    return tuple(found)


def _upto(lines: Iterator[str], mark: re.Pattern[str]) -> str:
    """The lines before a mark."""
    found: list[str] = []
    for line in lines:
        if mark.match(line) if mark is _REPLACE else mark.fullmatch(line):
            return "".join(found)
        found.append(line)
    raise EditRefused("an edit of the answer was cut off")


def edited(source: str, edits: tuple[SourceEdit, ...]) -> str:
    """The source after all edits, in order."""
    for number, edit in enumerate(edits, 1):
        source = _one(source, edit, f"edit {number} of {len(edits)}")
    return source


def _one(source: str, edit: SourceEdit, which: str) -> str:
    if not edit.search.strip():
        raise EditRefused(f"{which} searches for nothing")
    times = source.count(edit.search)
    if times == 1:
        return source.replace(edit.search, edit.replace)
    if times > 1:
        raise EditRefused(f"{which} searches for lines that are in the parent {times} times")
    return _by_lines(source, edit, which)


def _by_lines(source: str, edit: SourceEdit, which: str) -> str:
    """The same lines but for spaces at their ends, which models drop."""
    lines = source.splitlines(keepends=True)
    wanted = [one.rstrip() for one in edit.search.strip("\n").splitlines()]
    bare = [one.rstrip() for one in lines]
    places = [n for n in range(len(bare)) if bare[n : n + len(wanted)] == wanted]
    if len(places) != 1:
        raise EditRefused(f"{which} searches for lines that are not in the parent")
    start = places[0]
    return "".join([*lines[:start], edit.replace, *lines[start + len(wanted) :]])
