"""Inbox: what a follower has posted, as the judge reads it.

The rule: who was interrupted in the middle of a letter reads no other one, whose beginning nobody
could find.
"""

from __future__ import annotations

from collections.abc import Iterator
from multiprocessing.connection import Connection
from typing import Any

from assay.worker.host.exam import Key
from assay.worker.host.tensor_mail import TensorMail


class Inbox:
    """The reading end of a pipe in which every letter answers one question."""

    def __init__(self, connection: Connection, mail: TensorMail) -> None:
        self._connection = connection
        self._mail = mail
        self._between_letters = True

    def has_mail(self, patience_s: float = 0.0) -> bool:
        """Whether something has come, or comes soon."""
        return self._between_letters and self._connection.poll(patience_s)

    def arrived(self) -> Iterator[tuple[Key, Any]]:
        """All that has come. EOFError or OSError where nobody posts any more."""
        while self.has_mail():
            self._between_letters = False
            key, letter = self._connection.recv()
            self._between_letters = True
            yield key, self._mail.open(letter)

    def close(self) -> None:
        """What is still in it is lost."""
        self._connection.close()
