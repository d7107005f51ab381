"""Failure conditions: on which of the workloads that were asked a candidate fails, in words.

The rule: pure, and true of every workload given: whatever is named holds for all that failed and
for none that passed.
"""

from __future__ import annotations

from collections.abc import Sequence

from assay.data.workload import Distribution, Layout, Workload

_LEAST_TILE = 4  # odd and even alone is chance
_LEAST_PASSED = 2  # sizes: one alone bounds nothing
_ORDINARY = (Layout.CONTIGUOUS.value, Distribution.OWN.value)


def failure_conditions(failed: Sequence[Workload], passed: Sequence[Workload]) -> tuple[str, ...]:
    """What sets the failed workloads apart; nothing where all failed or nothing does."""
    if not failed or not passed:
        return ()
    layouts = [w.layout.value for w in failed], [w.layout.value for w in passed]
    values = [w.distribution.value for w in failed], [w.distribution.value for w in passed]
    found = [_only("layout", *layouts), _only("values", *values)]
    for name in failed[0].axes:
        sizes = [[w.axes[name] for w in group if name in w.axes] for group in (failed, passed)]
        found += [_bounds(name, *sizes), _multiples(name, *sizes)]
    return tuple(text for text in found if text)


def _only(noun: str, failed: list[str], passed: list[str]) -> str:
    if set(failed) & {*passed, *_ORDINARY}:  # an exam ends after some failures: ordinary
        return ""  # workloads may be missing among those that passed
    return f"only with {noun} {' or '.join(sorted(set(failed)))}"


def _bounds(name: str, failed: list[int], passed: list[int]) -> str:
    if not failed or len(set(passed)) < _LEAST_PASSED:
        return ""
    if min(failed) > max(passed):
        return f"only where {name} is {min(failed)} or more; right up to {max(passed)}"
    if max(failed) < min(passed):
        return f"only where {name} is {max(failed)} or less; right from {min(passed)}"
    return ""


def _multiples(name: str, failed: list[int], passed: list[int]) -> str:
    """A tile: every size that passed is a multiple of it, none that failed is."""
    if not failed or len(set(passed)) < _LEAST_PASSED or not all(passed):
        return ""
    tile = min(size & -size for size in passed)
    if tile < _LEAST_TILE or any(size % tile == 0 for size in failed):
        return ""
    return f"only where {name} is no multiple of {tile}; right where it is"
