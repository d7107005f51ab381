"""UnitCompiler: one run of a compiler in a sandbox of its own, where no candidate's code runs.

The rule: the compiler reads hostile text, so it runs behind the wall; nothing of a candidate is
there but that text. The host takes one bounded plain file back.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from assay.exam.builds.kept_files import copied
from assay.languages.extension.compile_unit import CompileUnit
from assay.sandbox.host import scratch
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.sandboxed_process import SandboxedProcess
from assay.sandbox.host.wall import MOUNTED_SCRATCH, Wall
from assay.sandbox.protocol.requests import RunTool

_GRACE_S = 10.0
_OUTPUT_BYTES = 1 << 20
_OBJECT_BYTES = 256 << 20
_LOG = "compile.log"
_OBJECT = "unit.o"


@dataclass(frozen=True)
class Compiled:
    """How it ended, its words, and the object where there is one."""

    code: int
    output: str
    made: bytes = b""

    @property
    def ok(self) -> bool:
        """Whether there is an object."""
        return self.code == 0 and bool(self.made)


@dataclass
class UnitCompiler:
    """Runs compilers; what runs can be ended from another thread."""

    wall: Wall
    seconds: float
    running: list[SandboxedProcess] = field(default_factory=list)
    precompiling: bool = False  # a header, for this build and others

    @property
    def root(self) -> str:
        """The scratch folder as compilers and candidates see it."""
        return MOUNTED_SCRATCH

    def compile(
        self,
        unit: CompileUnit,
        line: tuple[str, ...],
        shown: tuple[str, ...] = (),
        beside: Mapping[str, str] | None = None,
    ) -> Compiled:
        """Compile under the path that the source has in the candidate's process.

        `line` lacks the source and the output; `shown` are folders of the host, `beside` files of
        the scratch folder. Raises HostError where the sandbox ends.
        """
        with self._sandbox(shown) as process:
            root = process.scratch_path
            for name, text in (beside or {}).items():
                scratch.write_file(process.scratch, name, text.encode())
            path = unit.path.removeprefix(f"{root}/")
            scratch.write_file(process.scratch, path, unit.text.encode("utf-8", "replace"))
            whole = (*line, "-c", unit.path, "-o", f"{root}/{_OBJECT}")
            code, output = self._run(process, whole, os.path.dirname(unit.path))
            made = b""
            with contextlib.suppress(scratch.Unkeepable):
                made = scratch.read_file(process.scratch, _OBJECT, _OBJECT_BYTES)
            return Compiled(code, output, made)

    def precompile(self, text: str, line: tuple[str, ...], target: Path) -> bool:
        """Compile a header of ours into a file of the host's; whether it worked."""
        with self._sandbox(()) as process:
            root = process.scratch_path
            scratch.write_file(process.scratch, "header.h", text.encode())
            source = ("-x", "c++-header", f"{root}/header.h", "-o", f"{root}/{_OBJECT}")
            self.precompiling = True
            try:
                code, _ = self._run(process, (*line, *source), root)
            finally:
                self.precompiling = False
            if code != 0:
                return False
            flags = os.O_RDONLY | os.O_NOFOLLOW | os.O_CLOEXEC
            made = os.open(_OBJECT, flags, dir_fd=process.scratch)
            try:
                copied(made, target)
            finally:
                os.close(made)
            return True

    def stop(self) -> None:
        """End what runs; whoever waits for it is told that the sandbox ended."""
        for process in list(self.running):
            with contextlib.suppress(OSError):
                process.processes.kill()

    @contextlib.contextmanager
    def _sandbox(self, shown: tuple[str, ...]) -> Iterator[SandboxedProcess]:
        process = self.wall.raise_compiler(shown)
        self.running.append(process)
        try:
            yield process
        finally:
            self.running.remove(process)
            self.wall.end(process)

    def _run(
        self, process: SandboxedProcess, line: tuple[str, ...], folder: str
    ) -> tuple[int, str]:
        log = f"{process.scratch_path}/{_LOG}"
        request = RunTool(line, folder, log, self.seconds)
        limit_s = self.seconds + _GRACE_S
        reply, _ = process.ask(request, Deadline.after(limit_s, limit_s))
        output = scratch.read_file(process.scratch, _LOG, _OUTPUT_BYTES)
        return reply.count if reply.code == 0 else 1, output.decode("utf-8", "replace")
