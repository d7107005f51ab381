"""Waiting: how long to wait before a request is made, or made again.

The rule: time and chance are handed in, so that tests neither sleep nor guess. What an endpoint
asks for in Retry-After is honoured; 400, 401 and 403 are never tried again.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime

_AGAIN = frozenset({408, 409, 425, 429})


@dataclass(frozen=True)
class ClientClock:
    """The time, sleep and chance of a client."""

    now: Callable[[], float] = time.monotonic
    wall: Callable[[], float] = time.time
    sleep: Callable[[float], None] = time.sleep
    random: Callable[[], float] = field(default_factory=lambda: random.Random().random)


@dataclass(frozen=True)
class RetryPolicy:
    """How often a request is tried, and how long the pauses are."""

    max_tries: int = 5
    first_s: float = 1.0
    longest_s: float = 60.0
    longest_asked_s: float = 300.0  # an endpoint that asks for more is given up

    def may_pass(self, status: int) -> bool:
        """Whether a request that got this status may be answered later."""
        return status in _AGAIN or status >= 500

    def pause_s(self, tried: int, asked_s: float | None, chance: float) -> float:
        """Before the next try: what was asked, else twice as long each time, with jitter.

        Jitter takes away up to half, and adds up to a tenth to what was asked, so that clients that
        were refused together do not come back together.
        """
        if asked_s is not None:
            return asked_s * (1 + chance / 10)
        return min(self.longest_s, self.first_s * 2.0 ** (tried - 1)) * (1 - chance / 2)


def asked_pause_s(headers: dict[str, str], now: float) -> float | None:
    """What `Retry-After` says, in seconds or as a date; None where it says nothing."""
    with_ms = _number(headers.get("retry-after-ms", ""))
    if with_ms is not None:
        return max(0.0, with_ms / 1000)
    text = headers.get("retry-after", "")
    if (seconds := _number(text)) is not None:
        return max(0.0, seconds)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except (TypeError, ValueError):
        return None


def _number(text: str) -> float | None:
    try:
        found = float(text)
    except ValueError:
        return None
    return found if found == found and abs(found) != float("inf") else None


class RateLimit:
    """At most so many requests a minute, evenly spaced, over all threads of one generator."""

    def __init__(self, per_minute: float | None, clock: ClientClock) -> None:
        self._gap_s = 60.0 / per_minute if per_minute else 0.0
        self._clock, self._lock, self._next = clock, threading.Lock(), 0.0

    def wait(self) -> None:
        """Sleep until it is this request's turn."""
        if not self._gap_s:
            return
        with self._lock:
            now = self._clock.now()
            turn = max(now, self._next)
            self._next = turn + self._gap_s
        if turn > now:
            self._clock.sleep(turn - now)
