"""Faults of loops in C and C++: bounds, tails, blocks, indices that are too narrow."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from mutants.cpp_region import CppRegion, Loop
from mutants.edit import Edit, substitution

_BOUND = re.compile(r"\s*(\w+) < ([^&|<>=]+)$")
_BLOCK_STEP = re.compile(r"\s*(\w+) \+= ([^,]+)$")
_UNIT_STEP = re.compile(r"\s*\+\+\w+")
_WIDTHS = {"narrow_index_int16": 0x7FFF, "narrow_index_uint16": 0xFFFF, "narrow_index_uint8": 0xFF}
_FIXED = re.compile(r"\d+")
_LONGEST = 1000  # the reduction of a kernel that was tuned for short rows


@dataclass(frozen=True)
class _Bound:
    """`name < limit` as the condition of a loop."""

    start: int
    end: int
    name: str
    limit: str


def _bound(region: CppRegion, loop: Loop) -> _Bound | None:
    found = _BOUND.match(region.plain(loop.condition))
    if found is None:
        return None
    start, end = loop.condition
    return _Bound(start + found.start(1), end, found[1], found[2].strip())


def bounds(region: CppRegion) -> Iterator[Edit]:
    """The last element left out, one too many, the first left out, the tail of eight left out."""
    for loop in region.loops:
        bound = _bound(region, loop)
        if bound is None:
            continue
        name, limit = bound.name, bound.limit
        less = f"{name} < ({limit}) - 1"
        yield substitution("tail_off_by_one", bound.start, bound.end, less)
        yield substitution("one_too_many", bound.start, bound.end, f"{name} <= {limit}")
        if _UNIT_STEP.match(region.plain(loop.step)) and not _FIXED.fullmatch(limit):
            eights = f"{name} < ({limit}) / 8 * 8"
            yield substitution("vector_tail_dropped", bound.start, bound.end, eights)


def starts(region: CppRegion) -> Iterator[Edit]:
    """The first element is left out."""
    for loop in region.loops:
        zero = re.search(r"\w+ \w+ = (0)$", region.plain(loop.init))
        if zero is not None:
            place = loop.init[0] + zero.start(1)
            yield substitution("first_skipped", place, place + 1, "1")


def reductions(region: CppRegion) -> Iterator[Edit]:
    """A reduction that ends after a thousand terms, or takes every second one."""
    for loop in region.loops:
        bound, body = _bound(region, loop), region.plain(loop.body)
        if bound is None or _FIXED.fullmatch(bound.limit):
            continue
        if not _reduces(region, loop, bound.name):
            continue
        name, limit = bound.name, bound.limit
        cut = f"{name} < (({limit}) < {_LONGEST} ? ({limit}) : {_LONGEST})"
        yield substitution("truncated_reduction", bound.start, bound.end, cut)
        if region.plain(loop.step).strip() == f"++{name}" and "for (" not in body:
            yield substitution("every_second_term", *loop.step, f" {name} += 2")


def _reduces(region: CppRegion, loop: Loop, name: str) -> bool:
    inside = [a for a in region.accumulations if loop.body[0] <= a.start < loop.body[1]]
    return any(not re.search(rf"\b{name}\b", a.target) for a in inside)


def blocks(region: CppRegion) -> Iterator[Edit]:
    """A block that is not full is left out."""
    for loop in region.loops:
        bound, step = _bound(region, loop), _BLOCK_STEP.match(region.plain(loop.step))
        if bound is not None and step is not None and step[1] == bound.name:
            whole = f"{bound.name} + ({step[2]}) <= {bound.limit}"
            yield substitution("missing_last_block", bound.start, bound.end, whole)
        if bound is not None and not region.plain(loop.init).strip():
            never = f"{bound.name} < {bound.limit} && false"
            yield substitution(
                "missing_last_block", bound.start, bound.end, never.replace("false", "0")
            )


def narrow(region: CppRegion) -> Iterator[Edit]:
    """An index that wraps as a 16- or 8-bit one does."""
    for loop in region.loops:
        bound = _bound(region, loop)
        if bound is None or _FIXED.fullmatch(bound.limit):
            continue
        inside = re.compile(rf"\[[^\[\];%]*\b({bound.name})\b[^\[\];%]*\]")
        found = inside.search(region.code, *loop.body)
        if found is not None:
            for kind, mask in _WIDTHS.items():
                text = f"({bound.name} & {mask})"
                yield substitution(kind, found.start(1), found.end(1), text)


MUTATORS = (bounds, starts, reductions, blocks, narrow)
