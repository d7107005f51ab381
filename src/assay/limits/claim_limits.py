"""Claim limits: what of a claim the claimed device cannot do.

The rule: a claim is impossible only where no reading of it is possible. Bytes may come from a cache
as far as one can hold them, at the rate at which all multiprocessors together can take bytes in;
operations may be sparse; of several boards with the claimed name the fastest one counts. What only
luck or an odd way of counting explains is doubtful.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from assay.data.limits import Peaks, TaskLimits
from assay.data.published.recheck import Claim, ClaimFinding, ClaimMark

_MARGIN = 1.02  # figures are published with two or three digits
_CONTRADICTION = 1.05
_SPARSE = 2.0  # tensor units skip half of the products of matrices made for it
_UNLOCKED = 1.3  # of a board whose highest clock its maker does not state


@dataclass(frozen=True)
class BoardFloor:
    """A board that a claim may mean, with the floor of the task on it where that is known."""

    peaks: Peaks
    floor: TaskLimits | None = None


@dataclass(frozen=True)
class ClaimedTime:
    """A time that a claim states or implies."""

    us: float
    words: str  # where it comes from

    @classmethod
    def of(cls, claim: Claim, measured_baseline_us: float | None = None) -> ClaimedTime | None:
        """The time itself, else the baseline's over the speedup; None where neither is there."""
        if claim.time_us is not None:
            return cls(claim.time_us, "the claimed time")
        if claim.speedup is None:
            return None
        if claim.baseline_us is not None:
            return cls(claim.baseline_us / claim.speedup, "the claimed baseline over the speedup")
        if measured_baseline_us is not None:
            words = "the baseline measured here over the claimed speedup"
            return cls(measured_baseline_us / claim.speedup, words)
        return None


def beyond_limits(
    claim: Claim, boards: Sequence[BoardFloor], time: ClaimedTime | None
) -> tuple[ClaimFinding, ...]:
    """What the device cannot do, and where the claim contradicts itself."""
    found = [tuple(_on_board(claim, one, time)) for one in boards]
    return (*min(found, key=_weight, default=()), *_contradictions(claim))


def _weight(found: Sequence[ClaimFinding]) -> tuple[int, int]:
    impossible = sum(one.mark is ClaimMark.IMPOSSIBLE for one in found)
    return impossible, len(found)


def _on_board(claim: Claim, board: BoardFloor, time: ClaimedTime | None) -> Iterator[ClaimFinding]:
    if claim.bytes_per_s is not None:
        yield from _rate(claim.bytes_per_s, board)
    if time is not None and board.floor is not None:
        yield from _time(time, board.floor, board.peaks)
    if claim.flops_per_s is not None:
        yield from _operations(claim.flops_per_s, board)
    if claim.bytes_per_s is not None and claim.time_us is not None and board.floor is not None:
        yield from _traffic(1e-6 * claim.bytes_per_s * claim.time_us, board.floor)


def _rate(claimed: float, board: BoardFloor) -> Iterator[ClaimFinding]:
    """A claimed bandwidth: traffic over time, as its author counts."""
    peaks = board.peaks
    if claimed <= _MARGIN * peaks.bytes_per_s:
        return
    said = f"{_gigabytes(claimed)} is {_times(claimed / peaks.bytes_per_s)} {_memory(peaks)}"
    if peaks.load_bytes_per_s is not None and claimed > _MARGIN * peaks.load_bytes_per_s:
        text = (
            f"{said}, and more than the {_gigabytes(peaks.load_bytes_per_s)} that all its "
            "multiprocessors together can take in from any cache: the claimed traffic over the "
            "claimed time exceeds the device's bandwidth"
        )
        yield ClaimFinding(mark=ClaimMark.IMPOSSIBLE, text=text)
        return
    uncached = _uncached(board)
    if board.floor is not None and uncached > 0:
        allowed_us = 1e6 * _total(board.floor) / claimed
        least_us = 1e6 * uncached / peaks.bytes_per_s
        if allowed_us * _MARGIN < least_us:
            text = (
                f"{said}: of the {_size(_total(board.floor))} that the task must move at "
                f"{_at(board.floor)} no cache of it holds {_size(uncached)}, so the claimed "
                "traffic over the claimed time exceeds the device's bandwidth"
            )
            yield ClaimFinding(mark=ClaimMark.IMPOSSIBLE, text=text)
            return
    text = f"{said}: so much moves only out of a cache, or bytes are counted that do not move"
    yield ClaimFinding(mark=ClaimMark.DOUBTFUL, text=text)


def _time(time: ClaimedTime, floor: TaskLimits, peaks: Peaks) -> Iterator[ClaimFinding]:
    """A claimed time against the least for the bytes; products are left out, algebra saves them."""
    total = _total(floor)
    if _MARGIN * time.us >= floor.memory_us:
        return
    rate = 1e6 * total / time.us
    said = (
        f"{time.words}, {time.us:.3g} us, for the {_size(total)} that the task must move at "
        f"{_at(floor)} makes {_gigabytes(rate)}, {_times(rate / peaks.bytes_per_s)} "
        f"{_memory(peaks)}"
    )
    loads, uncached = peaks.load_bytes_per_s, _uncached(BoardFloor(peaks, floor))
    if (loads is not None and rate > _MARGIN * loads) or (
        _MARGIN * time.us < 1e6 * uncached / peaks.bytes_per_s
    ):
        text = f"{said}: no cache of it could supply them, the traffic exceeds its bandwidth"
        yield ClaimFinding(mark=ClaimMark.IMPOSSIBLE, text=text)
    else:
        text = f"{said}: possible only where the data lay in a cache before"
        yield ClaimFinding(mark=ClaimMark.DOUBTFUL, text=text)


def _operations(claimed: float, board: BoardFloor) -> Iterator[ClaimFinding]:
    """A claimed arithmetic rate against the fastest unit, and that of the task's dtypes."""
    peaks = board.peaks
    clock = 1.0 if peaks.clock_mhz_max is not None else _UNLOCKED
    fastest = clock * max(peaks.rate(unit) for unit in peaks.flops_per_s)
    units = set(board.floor.units.values()) if board.floor is not None else set[str]()
    usual = clock * max((peaks.rate(unit) for unit in units), default=fastest / clock)
    if claimed > _MARGIN * _SPARSE * fastest:
        text = (
            f"{_teraflops(claimed)} is {_times(claimed / fastest)} the {_teraflops(fastest)} of "
            f"the fastest unit of an {peaks.title} in any dtype, and more than sparse products "
            "make of it: the claimed operations did not run in the claimed time"
        )
        yield ClaimFinding(mark=ClaimMark.IMPOSSIBLE, text=text)
    elif claimed > _MARGIN * usual:
        dtypes = ", ".join(sorted(units)) or "any dtype"
        text = (
            f"{_teraflops(claimed)} is {_times(claimed / usual)} the {_teraflops(usual)} of an "
            f"{peaks.title} ({dtypes}): possible only in a narrower dtype, or where operations are "
            "counted that do not run"
        )
        yield ClaimFinding(mark=ClaimMark.DOUBTFUL, text=text)


def _traffic(moved: float, floor: TaskLimits) -> Iterator[ClaimFinding]:
    """Claimed rate times claimed time: at least what the task must move."""
    if 2 * moved < _total(floor):
        text = (
            f"the claimed rate and time make {_size(moved)}, less than half of the "
            f"{_size(_total(floor))} that the task must move at {_at(floor)}"
        )
        yield ClaimFinding(mark=ClaimMark.DOUBTFUL, text=text)


def _contradictions(claim: Claim) -> Iterator[ClaimFinding]:
    if claim.speedup is None or claim.time_us is None or claim.baseline_us is None:
        return
    ratio = claim.baseline_us / claim.time_us
    if max(ratio / claim.speedup, claim.speedup / ratio) > _CONTRADICTION:
        text = (
            f"the claimed times, {claim.baseline_us:g} us over {claim.time_us:g} us, make "
            f"{ratio:.3g}x, not {claim.speedup:g}x"
        )
        yield ClaimFinding(mark=ClaimMark.DOUBTFUL, text=text)


def _total(floor: TaskLimits) -> int:
    return floor.bytes_read + floor.bytes_written


def _uncached(board: BoardFloor) -> int:
    """Bytes that no cache of the board holds, however warm; 0 where the cache is not known."""
    if board.floor is None or board.peaks.cache_bytes is None:
        return 0
    return max(0, _total(board.floor) - board.peaks.cache_bytes)


def _memory(peaks: Peaks) -> str:
    return f"the {_gigabytes(peaks.bytes_per_s)} of the memory of an {peaks.title}"


def _at(floor: TaskLimits) -> str:
    sizes = " ".join(f"{name}={size}" for name, size in floor.axes.items())
    return sizes or "its own sizes"


def _gigabytes(rate: float) -> str:
    return f"{rate / 1e9:,.0f} GB/s"


def _teraflops(rate: float) -> str:
    return f"{rate / 1e12:,.4g} TFLOP/s"


def _size(count: float) -> str:
    return f"{count / 1e6:,.3g} MB" if count < 1e9 else f"{count / 1e9:,.3g} GB"


def _times(ratio: float) -> str:
    return f"{ratio:.3g} times"
