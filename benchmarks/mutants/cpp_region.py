"""CppRegion: a string of a Python file that holds C or C++, read well enough to be changed.

The rule: comments, strings and preprocessor lines are blanked before anything is searched for, and
every position is one of the file. A template with placeholders is left alone.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property

from mutants.python_positions import Positions

_HIDDEN = re.compile(
    r"//[^\n]*|/\*.*?\*/|\"(?:\\.|[^\"\\\n])*\"|^[ \t]*#(?:[^\n]*\\\n)*[^\n]*",
    re.DOTALL | re.MULTILINE,
)
_PLACEHOLDER = re.compile(r"\{\{|\}\}|\$|%[sd(]|@\w|\{[A-Z_a-z]\w*\}")
_FUNCTION = re.compile(r"^[A-Za-z][\w \t*<>,]*?\b(\w+)\([^;{}()]*\)\s*\{", re.MULTILINE)
_PAIRS = {")": "(", "]": "[", "}": "{"}
_VALUE_TYPES = r"(?:float|double|T|acc_t|scalar_t)"


@dataclass(frozen=True)
class Loop:
    """A `for` with its three parts and its body, as (start, end) in the region."""

    start: int
    init: tuple[int, int]
    condition: tuple[int, int]
    step: tuple[int, int]
    body: tuple[int, int]


@dataclass(frozen=True)
class Accumulation:
    """`target += value;` on a floating value."""

    start: int
    end: int
    target: str
    value: str


@dataclass(frozen=True)
class CppRegion:
    """The text between the quotes; `offset` is where it begins in the file."""

    text: str
    offset: int

    @cached_property
    def code(self) -> str:
        """The text with everything blanked that is no code, at the same positions."""
        return _HIDDEN.sub(lambda m: re.sub(r"[^\n]", " ", m.group()), self.text)

    @cached_property
    def closing(self) -> dict[int, int]:
        """Where each bracket closes."""
        stack: list[int] = []
        pairs: dict[int, int] = {}
        for place, sign in enumerate(self.code):
            if sign in "([{":
                stack.append(place)
            elif sign in _PAIRS and stack and self.code[stack[-1]] == _PAIRS[sign]:
                pairs[stack.pop()] = place
        return pairs

    @cached_property
    def loops(self) -> tuple[Loop, ...]:
        """Every `for` with three parts."""
        found = (self._loop(m.start(), m.end() - 1) for m in re.finditer(r"\bfor \(", self.code))
        return tuple(loop for loop in found if loop is not None)

    def _loop(self, start: int, bracket: int) -> Loop | None:
        end = self.closing.get(bracket)
        if end is None:
            return None
        cuts = [i for i in self._top_level(bracket + 1, end) if self.code[i] == ";"]
        if len(cuts) != 2:
            return None
        first, second = cuts
        body = (end + 1, self._statement_end(end + 1))
        return Loop(start, (bracket + 1, first), (first + 1, second), (second + 1, end), body)

    def _top_level(self, start: int, end: int) -> Iterator[int]:
        """Positions that lie in no bracket opened after `start`."""
        place = start
        while place < end:
            yield place
            place = self.closing.get(place, place) + 1

    def _statement_end(self, start: int) -> int:
        for place in self._top_level(start, len(self.code)):
            if self.code[place] == "{":
                return self.closing.get(place, place) + 1
            if self.code[place] == ";":
                return place + 1
        return len(self.code)

    def inner_bracket(self, place: int) -> str:
        """The innermost bracket around a position, or nothing."""
        around = [i for i, end in self.closing.items() if i < place < end]
        return self.code[max(around)] if around else ""

    @cached_property
    def accumulations(self) -> tuple[Accumulation, ...]:
        """Statements that add to a floating value; steps of pointers and counters are none."""
        pattern = re.compile(r"(?<=[\s;{)])((\w+)(?:\[[^\[\];]*\])?) \+= ([^;{}]+);")
        found = []
        for m in pattern.finditer(self.code):
            in_statement = self.inner_bracket(m.start()) in ("", "{")
            if in_statement and self._adds_value(m[2], "[" in m[1]):
                found.append(Accumulation(m.start(), m.end(), m[1], m[3]))
        return tuple(found)

    def _adds_value(self, name: str, subscripted: bool) -> bool:
        star = r"[*&\w\s]*?" if subscripted else r"\s"
        declared = rf"\b{_VALUE_TYPES}>?{star}(?:[^;(){{}}]*,\s*)?{name}\b"
        return re.search(declared, self.code) is not None

    def unused(self, file: str) -> list[tuple[int, int]]:
        """Bodies of functions that the file names nowhere but where they stand."""
        found = []
        for head in _FUNCTION.finditer(self.code):
            end = self.closing.get(head.end() - 1)
            if end is not None and len(re.findall(rf"\b{head[1]}\b", file)) == 1:
                found.append((head.end(), end))
        return found

    def plain(self, part: tuple[int, int]) -> str:
        """The code of one part."""
        return self.code[part[0] : part[1]]


def regions(text: str) -> list[CppRegion]:
    """The C and C++ in the plain strings of a Python file."""
    tree, positions = ast.parse(text), Positions(text)
    joined = {id(part) for n in ast.walk(tree) if isinstance(n, ast.JoinedStr) for part in n.values}
    found = []
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Constant)
            and isinstance(node.value, str)
            and id(node) not in joined
        ):
            start, end = positions.span(node)
            whole = text[start:end]
            opening = re.match(r"[rRbBuU]*(\"\"\"|'''|\"|')", whole)
            if opening and "for (" in whole and not _PLACEHOLDER.search(whole):
                inside = whole[opening.end() : -len(opening[1])]
                found.append(CppRegion(inside, start + opening.end()))
    return sorted(found, key=lambda region: region.offset)
