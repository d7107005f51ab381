"""AgentProcess: an agent while it runs: its lines as they come, its end at the budget.

The rule: it is asked many times a second whether it may go on. What it writes beyond a limit is
dropped, and nothing it writes is waited for without limit.
"""

from __future__ import annotations

import queue
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from types import TracebackType
from typing import IO

from assay.generators.agent.agent_folder import AgentFolder

_LOOK_S = 0.1
_MOST_LINE = 8 * 2**20
_MOST_WAITING = 1000  # lines
_ENDING_S = 10.0


class AgentProcess:
    """A started agent. Leaving it ends every process of the agent."""

    def __init__(self, command: list[str], folder: AgentFolder) -> None:
        keeper = [sys.executable, "-m", "assay.generators.agent.agent_keeper", *command]
        self._errors = (folder.desk / "stderr").open("wb")
        self._process = subprocess.Popen(
            keeper,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=self._errors,
            cwd=folder.work,
            env=folder.environment(),
            start_new_session=True,  # Ctrl-C is for the caller to answer
        )
        self._stderr = folder.desk / "stderr"
        self._lines: queue.Queue[str | None] = queue.Queue(_MOST_WAITING)
        stdout = self._process.stdout
        assert stdout is not None
        self._reader = threading.Thread(target=self._read, args=(stdout,), daemon=True)
        self._reader.start()

    def lines(self, look: Callable[[], bool]) -> Iterator[str]:
        """What it writes, until it ends or `look`, asked all the time, says that it must."""
        while True:
            if not look():
                return
            try:
                line = self._lines.get(timeout=_LOOK_S)
            except queue.Empty:
                continue
            if line is None:
                return
            yield line

    def end(self) -> int:
        """End it and everything it started; its exit code."""
        if self._process.stdin is not None and not self._process.stdin.closed:
            self._process.stdin.close()
        end = time.monotonic() + _ENDING_S
        while self._process.poll() is None and time.monotonic() < end:
            self._drop_lines()
            time.sleep(0.01)
        if self._process.poll() is None:
            self._process.kill()
        return self._process.wait()

    def wait(self) -> int | None:
        """Its exit code once it has closed its output; None where it does not end by itself."""
        try:
            return self._process.wait(_ENDING_S)
        except subprocess.TimeoutExpired:
            return None

    def errors(self) -> str:
        """The end of what it wrote on stderr."""
        data = self._stderr.read_bytes()[-2000:]
        return " ".join(data.decode("utf-8", "replace").split())

    def __enter__(self) -> AgentProcess:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        at: TracebackType | None,
    ) -> None:
        self.end()
        self._errors.close()
        self._reader.join(1.0)

    def _read(self, stdout: IO[bytes]) -> None:
        while line := stdout.readline(_MOST_LINE):
            self._lines.put(line.decode("utf-8", "replace"))
        self._lines.put(None)

    def _drop_lines(self) -> None:
        """The reader must not wait for a place: nobody reads any more."""
        while not self._lines.empty():
            self._lines.get_nowait()
