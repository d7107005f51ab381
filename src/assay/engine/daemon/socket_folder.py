"""SocketFolder: where the daemon's socket lies, with its lock, its token and its log.

The rule: the folder belongs to this user and nobody else may enter it, and no sandbox shows it. A
candidate on a machine with Landlock alone may open Unix sockets, so the socket's path is no secret
that protects anything: who greets the daemon must have read the token, a file in this folder.
"""

from __future__ import annotations

import contextlib
import fcntl
import os
import secrets
import socket
import stat
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.errors import HostError, reason_of

_LARGEST_LOG = 1 << 20
_PRIVATE = 0o600


class AlreadyRunning(HostError):
    """Another daemon of this user holds the lock."""


@dataclass(frozen=True)
class SocketFolder:
    """The files of one user's daemon."""

    path: Path

    @classmethod
    def of_user(cls) -> SocketFolder:
        """In the user's runtime folder, else in the user's cache."""
        runtime = os.environ.get("XDG_RUNTIME_DIR", "")
        if os.path.isabs(runtime) and os.path.isdir(runtime) and os.access(runtime, os.W_OK):
            return cls(Path(runtime) / "assay" / "daemon")
        return cls(Path.home() / ".cache" / "assay" / "daemon")

    @property
    def log(self) -> Path:
        """What the daemon and its workers write."""
        return self.path / "log"

    def make(self) -> None:
        """Make the folder, private; refuse one that is not."""
        try:
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)
        except OSError as error:
            text = f"the daemon's folder {self.path} cannot be made: {reason_of(error)}"
            raise HostError(f"{text}; XDG_RUNTIME_DIR names another place") from error
        self.check()

    def check(self) -> None:
        """Raise HostError where somebody else could have put something there."""
        try:
            found = self.path.lstat()
        except OSError as error:
            raise HostError(f"no daemon's folder: {error}") from error
        private = stat.S_ISDIR(found.st_mode) and stat.S_IMODE(found.st_mode) == 0o700
        if not private or found.st_uid != os.geteuid():
            raise HostError(f"{self.path} is not a folder that this user alone may enter")

    @contextlib.contextmanager
    def locked(self) -> Iterator[None]:
        """Be the only daemon of this user. The system takes the lock back when its holder dies."""
        flags = os.O_RDWR | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self.path / "lock", flags, _PRIVATE)
        try:
            try:
                fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise AlreadyRunning("a daemon of this user runs already") from None
            yield
        finally:
            os.close(descriptor)

    def listen(self) -> socket.socket:
        """A listening socket in place of one that a killed daemon left; the lock is held."""
        listening = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        with self._short_path() as path:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(path)
            before = os.umask(0o177)
            try:
                listening.bind(path)
            finally:
                os.umask(before)
        listening.listen()
        return listening

    def connect(self, timeout_s: float) -> socket.socket:
        """A connection to the daemon. Raises OSError where none listens."""
        channel = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        channel.settimeout(timeout_s)
        try:
            with self._short_path() as path:
                channel.connect(path)
        except BaseException:
            channel.close()
            raise
        return channel

    def remove_socket(self) -> None:
        """What a client would find; the lock is held."""
        for name in ("socket", "token"):
            with contextlib.suppress(FileNotFoundError):
                (self.path / name).unlink()

    def new_token(self) -> str:
        """A new secret, written where this user alone can read it."""
        token = secrets.token_hex(32)
        with contextlib.suppress(FileNotFoundError):
            (self.path / "token").unlink()
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW
        with open(os.open(self.path / "token", flags, _PRIVATE), "w") as file:
            file.write(token)
        return token

    def token(self) -> str:
        """The running daemon's secret. Raises OSError where there is none."""
        return (self.path / "token").read_text()

    def open_log(self) -> int:
        """A descriptor of the log; one that has grown large is begun anew."""
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW | os.O_CLOEXEC
        descriptor = os.open(self.log, flags, _PRIVATE)
        if os.fstat(descriptor).st_size > _LARGEST_LOG:
            os.ftruncate(descriptor, 0)
        return descriptor

    @contextlib.contextmanager
    def _short_path(self) -> Iterator[str]:
        """The socket's path by way of its folder's descriptor: a socket's has at most 107 bytes."""
        flags = os.O_PATH | os.O_DIRECTORY | os.O_NOFOLLOW
        descriptor = os.open(self.path, flags)
        try:
            yield f"/proc/self/fd/{descriptor}/socket"
        finally:
            os.close(descriptor)
