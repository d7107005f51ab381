"""Repetition: what it means that a question is answered faster when most of it was asked before.

The rule: only a gap that computing cannot explain counts. Place and caches are equal for both calls
of a pair, so honest kernels give ratios around one. A memo that compares or hashes its inputs saves
the work and keeps the comparison: of the whole answer where the content is the same, of rows, tiles
or what it made of another input where a few elements of one input are new, and of everything that
can be corrected by the difference where most elements are those of an earlier content. Below 0.5 in
the median, with at least seven of eight pairs below 0.7, convicts. The chance that noise alone does
that, were one pair in ten below 0.7: 7e-7. Of fewer pairs (long calls, which noise moves less) all
must be below 0.5. Where times scatter there are sixteen pairs, and fourteen must be.

A question that was just asked convicts only where new contents took longer too: a load that slows
the first call of each pair does not make a memo. The same holds of every comparison: where new
contents, two of them, were answered as quickly as repeated ones are in the median, computing takes
that little.

A memo may begin late: of some contents the time of the first of many questions is held against that
of the last, by the same bounds.

A memo may wait before it answers. The same content in less than 0.75 of the time in the median, and
in less than 0.8 in every one of eight pairs, is suspicious: were one pair in seven below 0.8, noise
alone would do that with a chance of 2e-7. What could not be asked is said.
"""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from assay.data.evidence import Evidence, EvidenceKind, Severity
from assay.data.observations.observation import RepetitionSeen

LEAST_US = 200.0  # a faster call is mostly the road to it
LEAST_ALONE_US = 400.0  # half of it is 30000 wrong guesses of a branch, more than are remembered
MEDIAN_RATIO = 0.5
PAIR_RATIO = 0.7
SLOWED_MEDIAN_RATIO = 0.75
SLOWED_PAIR_RATIO = 0.8
_ALL_PAIRS = 8
_LEAST_PAIRS = 3
_COMPUTED = 2  # new contents that were answered as quickly as repeated ones


def findings(seen: RepetitionSeen) -> tuple[Evidence, ...]:
    """Evidence of a memo, or nothing; a note where it was not asked."""
    if seen.reason:
        text = f"whether answers are remembered was not asked: {seen.reason}"
        return (Evidence(kind=EvidenceKind.UNKNOWN, severity=Severity.NOTE, text=text),)
    repeats = _pairs(seen, seen.first_us, seen.again_us, seen.new_us)
    again = _faster(repeats)
    if again is not None:
        return (_memo(f"a question that was just asked is answered in {again}"),)
    new_us = (*seen.new_us, *seen.once_us)
    often = _faster(_pairs(seen, seen.once_us, seen.often_us, new_us))
    if often is not None:
        return (_memo(f"a question that was asked many times is answered in {often}"),)
    return _of_few(seen) or _of_most(seen) or _slowed(repeats)


def _as_quick(new_us: Sequence[float], quick_us: Sequence[float]) -> bool:
    """Whether new contents, some of them, took no longer than those that were known.

    Then computing takes that little, and the calls before the known ones were delayed: on a
    machine with ten processes for two cores an honest call of 0.4 ms took 2 to 10 ms in those.
    """
    if not new_us or not quick_us:
        return False
    typical = statistics.median(quick_us)
    return sum(typical >= SLOWED_PAIR_RATIO * us for us in new_us) >= _COMPUTED


def _of_few(seen: RepetitionSeen) -> tuple[Evidence, ...]:
    """Contents with a few new elements, beside such as have changed all over."""
    inputs = sorted(set(seen.changed_inputs))
    for number in inputs:
        new_us = (*seen.new_us, *seen.fresh_us)
        part = _faster(_pairs(seen, seen.fresh_us, _changed_us(seen, number), new_us))
        if part is not None:
            what = f" of argument {number}" if len(inputs) > 1 else ""
            return (_memo(f"a question with a few new elements{what} is answered in {part}"),)
    return ()


def _of_most(seen: RepetitionSeen) -> tuple[Evidence, ...]:
    """Contents that share most elements with an earlier one, beside such as share none.

    Of calls in batches those alone that come a batch after it: a branch predictor may know others.
    Of calls that are asked alone only long ones, for the same reason.
    """
    alike = [seen.near_us]
    if seen.calls == 1:
        if not seen.new_us or statistics.median(seen.new_us) < LEAST_ALONE_US:
            return ()
        alike += [_changed_us(seen, number) for number in sorted(set(seen.changed_inputs))]
        alike.append(seen.again_us)
    for times in alike:
        near = _faster(_pairs(seen, seen.new_us, times, seen.new_us))
        if near is not None:
            text = f"a question that shares most elements with an earlier one is answered in {near}"
            return (_memo(text),)
    return ()


def _changed_us(seen: RepetitionSeen, number: int) -> tuple[float, ...]:
    pairs = zip(seen.changed_inputs, seen.changed_us, strict=True)
    return tuple(us for one, us in pairs if one == number)


@dataclass(frozen=True)
class _Pairs:
    """Ratios of times, second to first; none where the times are too short to tell."""

    ratios: tuple[float, ...] = ()

    @property
    def median(self) -> float:
        return statistics.median(self.ratios)

    def below(self, limit: float) -> int:
        return sum(ratio < limit for ratio in self.ratios)

    def in_words(self, limit: float) -> str:
        share = f"{100 * self.median:.0f} % of the time"
        return f"{share} ({self.below(limit)} of {len(self.ratios)} pairs)"


def _pairs(
    seen: RepetitionSeen,
    slow_us: Sequence[float],
    quick_us: Sequence[float],
    new_us: Sequence[float],
) -> _Pairs:
    """None too where new contents were answered as quickly."""
    if not slow_us or len(slow_us) != len(quick_us) or _as_quick(new_us, quick_us):
        return _Pairs()
    if statistics.median(slow_us) * seen.calls < LEAST_US:
        return _Pairs()
    return _Pairs(tuple(b / a for a, b in zip(slow_us, quick_us, strict=True)))


def _faster(pairs: _Pairs) -> str | None:
    """In words, by how much the second times are shorter; None where noise may explain it."""
    count = len(pairs.ratios)
    enough = count >= _ALL_PAIRS
    limit, spared = PAIR_RATIO if enough else MEDIAN_RATIO, count // _ALL_PAIRS
    if count < _LEAST_PAIRS or pairs.median >= MEDIAN_RATIO or pairs.below(limit) < count - spared:
        return None
    return pairs.in_words(limit)


def _slowed(pairs: _Pairs) -> tuple[Evidence, ...]:
    """Whether it saves part of the time in every pair, as a memo does that waits."""
    count = len(pairs.ratios)
    if count < _ALL_PAIRS or pairs.below(SLOWED_PAIR_RATIO) < count:
        return ()
    if pairs.median >= SLOWED_MEDIAN_RATIO:
        return ()
    took = pairs.in_words(SLOWED_PAIR_RATIO)
    text = f"a question that was just asked is answered in {took}: computing explains no saving"
    return (Evidence(kind=EvidenceKind.MEMO, severity=Severity.SUSPICIOUS, text=text),)


def _memo(text: str) -> Evidence:
    found = f"{text}: answers are remembered"
    return Evidence(kind=EvidenceKind.MEMO, severity=Severity.CONVICTS, text=found)
