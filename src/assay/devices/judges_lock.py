"""JudgesLock: how the judge processes of one user take turns on a device.

    calls        shared: candidates of this process make calls   exclusive: one is alone
    turnstile                                                    exclusive: one waits to be alone
    presence     shared: candidates of this process are there    exclusive: one has quiet
    newcomers                                                    exclusive: one waits for quiet
    judges                                                       exclusive: this process is here

The rule: a lock is tried and never waited for, and whoever is refused keeps no part of what it
tried, so no two processes wait for each other. Only a turnstile is kept while its holder waits;
nobody who stands before it holds what its holder waits for.

The locks are record locks on bytes of one file. The system takes them back when the process that
holds them ends, and a fork has none of them. A process that closes any descriptor of the file loses
all of them, so each opens it once and never closes it.
"""

from __future__ import annotations

import contextlib
import errno
import fcntl
import os
import re
import struct
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from enum import IntEnum
from pathlib import Path

from assay.devices.lease import runtime_folder
from assay.errors import HostError

POLL_S = 0.01  # between two attempts
_FLOCK = struct.Struct("hhqqi4x")  # Linux with 64 bits: type, whence, start, length, process
_FIRST_JUDGE = 1 << 12  # and its process id: the byte of a judge
# No turn alone so soon after a judge has ended: its candidates may outlive it, and the driver takes
# a while to end what they had running.
_ENDING_S = 3.0
_REFUSED = (errno.EAGAIN, errno.EACCES)


class _Byte(IntEnum):
    CALLS = 0
    TURNSTILE = 1
    PRESENCE = 2
    NEWCOMERS = 3


class JudgesLock:
    """Of one device, as this process holds it; its threads share what the process holds."""

    def __init__(self, path: Path, clock_s: Callable[[], float] = time.monotonic) -> None:
        self._descriptor = _opened(path)
        self._clock_s = clock_s
        self._mutex = threading.Lock()
        self._sharers = 0  # threads that make calls
        self._present = 0  # candidates
        self._wanted: set[_Byte] = set()  # turnstiles that are held
        self._is_alone = False
        self._is_quiet = False
        self._is_leaving_out = False  # see `others_kept_out`
        self._leaving_out = threading.Lock()
        self._known = self.others()
        self._has_met = bool(self._known)
        self._calm_from_s = clock_s()

    def join(self) -> None:
        """Be known as one that takes turns here, until the process ends."""
        with self._mutex:
            self._locked(_FIRST_JUDGE + os.getpid(), fcntl.LOCK_EX)

    def is_judge(self, pid: int) -> bool:
        """Whether another process takes turns here."""
        found = self._other(_FIRST_JUDGE + pid, 1)
        return found is not None and found[0] == pid

    def others(self) -> frozenset[int]:
        """Process ids of the others that take turns here."""
        found: set[int] = set()
        spans = [(_FIRST_JUDGE, _FIRST_JUDGE + (1 << 32))]
        while spans:  # which of several locks the system names is not said
            start, end = spans.pop()
            lock = self._other(start, end - start) if start < end else None
            if lock is not None:
                found.add(lock[0])
                spans += [(start, lock[1]), (lock[1] + 1, end)]
        return frozenset(found)

    @property
    def has_met_others(self) -> bool:
        """Whether another took turns here while this process did."""
        with self._mutex:
            self._look_around()
            return self._has_met

    @property
    def has_company(self) -> bool:
        """Whether candidates of others are there now."""
        return self._is_others(_Byte.PRESENCE)

    @property
    def others_want_alone(self) -> bool:
        """Whether one of another process waits to be alone."""
        return self._is_others(_Byte.TURNSTILE)

    def share(self, arrives: bool) -> bool:
        """Try to make calls beside others, for one thread.

        A candidate that arrives waits where somebody waits for candidates to go.
        """
        with self._mutex:
            self._look_around()
            kept_out = self._is_others(_Byte.TURNSTILE)
            kept_out |= arrives and self._is_others(_Byte.NEWCOMERS)
            if kept_out or self._is_alone or self._is_leaving_out:
                return False
            if arrives and not self._arrived():
                return False
            if not self._sharers and not self._locked(_Byte.CALLS, fcntl.LOCK_SH):
                if arrives:
                    self._left()
                return False
            self._sharers += 1
            return True

    def unshare(self) -> None:
        """That thread makes no calls now."""
        with self._mutex:
            self._sharers -= 1
            if not self._sharers and not self._is_leaving_out:
                self._locked(_Byte.CALLS, fcntl.LOCK_UN)

    def arrive(self) -> bool:
        """Try to have one more candidate there."""
        with self._mutex:
            return self._arrived()

    def leave(self) -> None:
        """One candidate less."""
        with self._mutex:
            self._left()

    def want(self, quiet: bool) -> bool:
        """Keep others out from now on, until this process is alone or gives up wanting.

        False where another process was the first to want that.
        """
        with self._mutex:
            return self._wants(_turnstile(quiet))

    def want_no_more(self, quiet: bool) -> None:
        """For another thread of this process that wants it still, `want` is to be called again."""
        with self._mutex:
            self._stop_wanting(_turnstile(quiet))

    def take_alone(self, quiet: bool) -> bool:
        """Try to have it alone, for one thread; `quiet`: with no candidate of others there.

        Nobody of this process makes calls, nor is a candidate of it there where quiet is asked for.
        """
        with self._mutex:
            self._look_around()
            if not self._wants(_turnstile(quiet)) or not self._is_calm:
                return False
            here = self._sharers or self._is_alone or self._is_leaving_out
            if here or (quiet and self._present):
                return False
            if quiet and not self._locked(_Byte.PRESENCE, fcntl.LOCK_EX):
                return False
            if not self._locked(_Byte.CALLS, fcntl.LOCK_EX):
                if quiet:
                    self._locked(_Byte.PRESENCE, fcntl.LOCK_UN)
                return False
            self._is_alone, self._is_quiet = True, quiet
            self._stop_wanting(_turnstile(quiet))
            return True

    def end_alone(self) -> None:
        """Others may come; a candidate that arrived meanwhile stays there."""
        with self._mutex:
            if self._is_quiet:
                how = fcntl.LOCK_SH if self._present else fcntl.LOCK_UN
                self._locked(_Byte.PRESENCE, how)
            self._locked(_Byte.CALLS, fcntl.LOCK_UN)
            self._is_alone = self._is_quiet = False

    @contextlib.contextmanager
    def others_kept_out(self) -> Iterator[None]:
        """Be alone while threads of this process share the device and make no calls."""
        if self._is_alone:
            yield
            return
        with self._leaving_out:
            with self._mutex:
                self._is_leaving_out = True  # no further thread of this process comes in
                self._locked(_Byte.CALLS, fcntl.LOCK_UN)
            try:
                while not self._leaves_out():
                    time.sleep(POLL_S)
                yield
            finally:
                while not self._shares_again():
                    time.sleep(POLL_S)

    def _leaves_out(self) -> bool:
        """By the turnstile, as all who want to be alone."""
        with self._mutex:
            self._look_around()
            if not self._wants(_Byte.TURNSTILE) or not self._is_calm:
                return False
            found = self._locked(_Byte.CALLS, fcntl.LOCK_EX)
            if found:
                self._stop_wanting(_Byte.TURNSTILE)
            return found

    def _shares_again(self) -> bool:
        """For those that shared all the time; at once, unless it never came to be alone."""
        with self._mutex:
            self._stop_wanting(_Byte.TURNSTILE)
            if not self._locked(_Byte.CALLS, fcntl.LOCK_SH if self._sharers else fcntl.LOCK_UN):
                return False
            self._is_leaving_out = False
            return True

    def _arrived(self) -> bool:
        first = not self._present and not self._is_quiet
        if first and not self._locked(_Byte.PRESENCE, fcntl.LOCK_SH):
            return False
        self._present += 1
        return True

    def _left(self) -> None:
        self._present -= 1
        if not self._present and not self._is_quiet:
            self._locked(_Byte.PRESENCE, fcntl.LOCK_UN)

    @property
    def _is_calm(self) -> bool:
        return self._clock_s() >= self._calm_from_s

    def _wants(self, turnstile: _Byte) -> bool:
        missing = turnstile not in self._wanted
        if missing and self._is_calm and self._locked(turnstile, fcntl.LOCK_EX):
            self._wanted.add(turnstile)
        return turnstile in self._wanted

    def _stop_wanting(self, turnstile: _Byte) -> None:
        if turnstile in self._wanted:
            self._wanted.remove(turnstile)
            self._locked(turnstile, fcntl.LOCK_UN)

    def _look_around(self) -> None:
        now = self.others()
        if self._known - now:
            self._calm_from_s = self._clock_s() + _ENDING_S
        self._known, self._has_met = now, self._has_met or bool(now)

    def _locked(self, byte: int, how: int) -> bool:
        """Whether this process has that lock on that byte now; nothing changes where not."""
        try:
            at_once = 0 if how == fcntl.LOCK_UN else fcntl.LOCK_NB
            fcntl.lockf(self._descriptor, how | at_once, 1, byte)
        except OSError as error:
            if error.errno in _REFUSED:
                return False
            raise
        return True

    def _is_others(self, byte: _Byte) -> bool:
        return self._other(byte, 1) is not None

    def _other(self, start: int, length: int) -> tuple[int, int] | None:
        """A lock of another process in that part: its process id, and where it begins."""
        asked = _FLOCK.pack(fcntl.F_WRLCK, os.SEEK_SET, start, length, 0)
        told = fcntl.fcntl(self._descriptor, fcntl.F_GETLK, asked)
        kind, _, at, _, pid = _FLOCK.unpack(told)
        return None if kind == fcntl.F_UNLCK else (pid, at)


_locks: dict[Path, JudgesLock] = {}  # one of a file: see above
_making = threading.Lock()


def judges_lock(device_key: str) -> JudgesLock:
    """This process's, of that device. Raises HostError or OSError where none can be kept."""
    path = runtime_folder() / f"{re.sub(r'[^A-Za-z0-9.-]', '_', device_key)}.turns"
    with _making:
        if path not in _locks:
            _locks[path] = JudgesLock(path)
        return _locks[path]


def turns_can_be_taken() -> bool:
    """Whether such locks can be kept here; asked of a file that nobody uses for them."""
    try:
        with tempfile.NamedTemporaryFile(dir=runtime_folder()) as file:
            lock = JudgesLock(Path(file.name))
            try:
                lock.join()
            finally:
                os.close(lock._descriptor)
    except (HostError, OSError):
        return False
    return True


def _forget() -> None:
    """A fork holds none of the locks, and a lock that some thread was at stays taken in it."""
    global _making
    _locks.clear()
    _making = threading.Lock()


os.register_at_fork(after_in_child=_forget)


def _turnstile(quiet: bool) -> _Byte:
    return _Byte.NEWCOMERS if quiet else _Byte.TURNSTILE


def _opened(path: Path) -> int:
    flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
    descriptor = os.open(path, flags, 0o600)
    os.utime(descriptor)  # who clears old files from /tmp leaves it there
    return descriptor
