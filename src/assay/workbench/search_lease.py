"""SearchLease: the right of one process to carry on a search.

The rule: two processes never ask for the same search at once. A process that is gone has no right
any more, and that is seen at once where it ran on this machine.
"""

from __future__ import annotations

import logging
import threading
from types import TracebackType
from typing import Self

from assay.data.record import content_id
from assay.data.run import Run
from assay.engine.claim_owner import is_gone, this_owner
from assay.errors import AssayError, UsageError
from assay.store.run_store import RunStore

_RENEW_S = 30.0


class SearchLease:
    """A context in which this process alone carries on a search."""

    def __init__(self, store: RunStore, run: Run) -> None:
        self._store, self._owner = store, this_owner()
        self._key = content_id("search", run.id)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._renew, daemon=True)

    def __enter__(self) -> Self:
        for owner in self._store.owners():
            if is_gone(owner):
                self._store.release(owner)
        if not self._store.claim(self._key, self._owner):
            raise UsageError("another process carries on this search: stop it first")
        self._thread.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._stop.set()
        self._thread.join()
        self._store.release(self._owner)

    def _renew(self) -> None:
        while not self._stop.wait(_RENEW_S):
            try:
                self._store.renew(self._owner)
            except AssayError as error:  # who tells next finds out; the next renewal may work
                logging.getLogger(__name__).warning("the search's claim is not renewed: %s", error)
