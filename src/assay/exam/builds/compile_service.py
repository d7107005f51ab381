"""CompileService: answers the units that the build of one candidate asks the host to compile.

The rule: it lives as long as the build. Requests are read, and answers written, through the
descriptor of the scratch folder; no link is followed and nothing that is there is written over.
"""

from __future__ import annotations

import contextlib
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field
from types import TracebackType

from assay.errors import HostError, UsageError
from assay.exam.builds.extension_compiler import ExtensionCompiler
from assay.exam.builds.unit_compiler import UnitCompiler
from assay.languages.extension.compile_unit import (
    FOLDER,
    LISTENING,
    MOST_BYTES,
    MOST_UNITS,
    CompileAnswer,
    CompileCode,
    CompileUnit,
    answer_name,
    object_name,
    request_name,
)
from assay.sandbox.host import scratch
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.wall import usable_threads

_LOOK_S = 0.01


@dataclass
class CompileService:
    """A context in which a build is heard."""

    root: int  # descriptor of the scratch folder
    extension_compiler: ExtensionCompiler
    unit_compiler: UnitCompiler
    deadline: Deadline  # of the build: while the host compiles, a compiler is at work
    threads: int = field(default_factory=lambda: max(2, min(MOST_UNITS, usable_threads())))
    _ended: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> CompileService:
        scratch.write_file(self.root, f"{FOLDER}/{LISTENING}", b"")
        self._listener = threading.Thread(target=self._listen, daemon=True)
        self._listener.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._ended.set()
        self.unit_compiler.stop()
        self._listener.join()
        scratch.remove_folder(self.root, FOLDER)

    def _listen(self) -> None:
        pending: list[Future[None]] = []
        with ThreadPoolExecutor(self.threads) as pool:
            number = 0
            while not self._ended.wait(_LOOK_S):
                while number < MOST_UNITS and self._is_asked(number):
                    pending.append(pool.submit(self._serve, number))
                    number += 1
                self.deadline.compiling = not all(one.done() for one in pending)
                self.deadline.stopped = self.unit_compiler.precompiling
        self.deadline.compiling = self.deadline.stopped = False

    def _is_asked(self, number: int) -> bool:
        return scratch.exists(self.root, f"{FOLDER}/{request_name(number)}")

    def _serve(self, number: int) -> None:
        """Whatever happens, there is an answer, unless the scratch folder takes none."""
        answer, made = CompileAnswer(CompileCode.DECLINED), b""
        with contextlib.suppress(scratch.Unkeepable, HostError, UsageError, OSError):
            data = scratch.read_file(self.root, f"{FOLDER}/{request_name(number)}", MOST_BYTES)
            unit = CompileUnit.unpacked(data)
            if unit is not None:
                answer, made = self.extension_compiler.compile(unit, self.unit_compiler)
        if made:
            answer = self._laid(number, answer, made)
        with contextlib.suppress(OSError):
            scratch.write_new(self.root, f"{FOLDER}/{answer_name(number)}", answer.packed())

    def _laid(self, number: int, answer: CompileAnswer, made: bytes) -> CompileAnswer:
        try:
            scratch.write_new(self.root, f"{FOLDER}/{object_name(number)}", made)
        except OSError:  # full, or something is in the way
            return CompileAnswer(CompileCode.DECLINED)
        return answer
