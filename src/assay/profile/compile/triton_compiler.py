"""Triton compiled ahead of time: the candidate's file is imported behind the wall, nothing runs.

The rule: what the process of the candidate hands over is testimony. Its assembly is assembled again
in the compiler sandbox, where none of its code runs, and the figures come from there.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass

from assay.data.candidate import Candidate
from assay.data.observations.compilation import CompiledKernel, CompileOutcome
from assay.languages.architecture import Architecture
from assay.languages.compiler_output import Resources, amd_resources, ptx_entries, ptxas_resources
from assay.languages.cuda.cuda_tools import find_ptxas
from assay.languages.instruction_families import amd_families, ptx_families
from assay.languages.triton.triton_language import TritonLanguage
from assay.languages.triton.triton_signature import TritonLaunch
from assay.profile.compile.compiler_sandbox import MOST_BYTES, CompilerSandbox, message
from assay.profile.compile.cuda_compiler import disassembled
from assay.sandbox.host import scratch
from assay.sandbox.host.deadline import Deadline
from assay.sandbox.host.sandboxed_process import ProcessLost
from assay.sandbox.host.session import Session
from assay.sandbox.host.wall import Wall
from assay.sandbox.protocol.replies import ReplyCode
from assay.sandbox.protocol.requests import CompileTriton

_FOLDER = "kernel"
_MAIN = "kernel.py"
_ASSEMBLY, _BINARY = "out/kernel.s", "out/kernel.bin"
_REFUSED = "Uncompiled: "
_TARGET = ".target "
_AS_TRITON = ("--regAllocOptLevel=2",)  # what Triton itself gives ptxas


@dataclass(frozen=True)
class _Made:
    """What the candidate's process handed over."""

    assembly: bytes
    binary: bytes
    shared_bytes: int | None
    assumed: tuple[str, ...]


class _NotMade(Exception):
    """Why there is nothing, in the compiler's words."""


class TritonCompiler:
    """Compiles the kernels of one candidate for one architecture."""

    def __init__(
        self, wall: Wall, compiler_sandbox: CompilerSandbox, arch: Architecture, seconds: float
    ) -> None:
        self._wall = wall
        self._compiler_sandbox = compiler_sandbox
        self._arch = arch
        self._seconds = seconds

    def compile(
        self, candidate: Candidate, launches: tuple[TritonLaunch, ...]
    ) -> list[CompiledKernel]:
        """Every kernel, each in the process the one before left."""
        missing = TritonLanguage().available()
        if missing is not None:
            return [self._unknown(candidate, launch, missing) for launch in launches]
        session = Session(self._wall)
        try:
            self._lay_out(session, candidate)
            return self._each(session, candidate, launches)
        finally:
            session.close()

    def _each(
        self, session: Session, candidate: Candidate, launches: tuple[TritonLaunch, ...]
    ) -> list[CompiledKernel]:
        found: list[CompiledKernel] = []
        try:
            for launch in launches:
                found.append(self._one(session, candidate, launch))
        except ProcessLost as lost:
            why = f"the process ended: {lost.text}"
            found += [self._unknown(candidate, launch, why) for launch in launches[len(found) :]]
        return found

    def _lay_out(self, session: Session, candidate: Candidate) -> None:
        files = {file.path: file.text for file in candidate.sources[1:]}
        for path, text in {**files, _MAIN: candidate.main.text}.items():
            data = text.encode("utf-8", "replace")
            scratch.write_file(session.process.scratch, f"{_FOLDER}/{path}", data)
        for path in (_ASSEMBLY, _BINARY, "home/.keep"):
            scratch.write_file(session.process.scratch, path, b"")

    def _one(self, session: Session, candidate: Candidate, launch: TritonLaunch) -> CompiledKernel:
        try:
            made = self._made(session, launch)
        except _NotMade as refusal:
            return self._unknown(candidate, launch, str(refusal))
        return (
            self._amd(candidate, launch, made)
            if self._arch.amd
            else self._nvidia(candidate, launch, made)
        )

    def _made(self, session: Session, launch: TritonLaunch) -> _Made:
        place = session.process.scratch_path
        request = CompileTriton(
            path=f"{place}/{_FOLDER}/{_MAIN}",
            launch=launch,
            target=self._arch.triton_target,
            assembly=f"{place}/{_ASSEMBLY}",
            binary=f"{place}/{_BINARY}",
        )
        reply = session.ask(request, Deadline.after(self._seconds, self._seconds))
        said = session.statement()
        if reply.code != ReplyCode.OK:
            words = said.rpartition(_REFUSED)[2]
            raise _NotMade(message(words, (f"{place}/{_FOLDER}",)))
        shared, *assumed = said.splitlines() or [""]
        try:
            assembly = scratch.read_file(session.process.scratch, _ASSEMBLY, MOST_BYTES)
            binary = scratch.read_file(session.process.scratch, _BINARY, MOST_BYTES)
        except scratch.Unkeepable as problem:
            raise _NotMade(str(problem)) from problem
        shared_bytes = int(shared) if shared.isdecimal() else None
        return _Made(assembly, binary, shared_bytes, tuple(message(one) for one in assumed))

    def _nvidia(self, candidate: Candidate, launch: TritonLaunch, made: _Made) -> CompiledKernel:
        ptx = made.assembly.decode("utf-8", "replace")
        symbol, text = next(iter(ptx_entries(ptx).items()), ("", ""))
        target = ptx.partition(_TARGET)[2].partition("\n")[0].partition(",")[0].strip()
        capability = self._arch.triton_target[1]
        assert isinstance(capability, int), "NVIDIA's are numbers"
        tool = find_ptxas(capability)
        used, sass = Resources(), None
        if tool is not None and target.startswith("sm_"):
            self._compiler_sandbox.put("kernel.ptx", made.assembly)
            files = ("kernel.ptx", "-o", "kernel.cubin")
            result = self._compiler_sandbox.run(
                tool, "-v", *_AS_TRITON, f"--gpu-name={target}", *files
            )
            if not result.ok:
                return self._unknown(candidate, launch, message(result.output))
            used = ptxas_resources(result.output).get(symbol, Resources())
            sass = disassembled(self._compiler_sandbox, "kernel.cubin")
        note = () if target == self._arch.name else (f"Triton compiles it for {target}",)
        code = None if sass is None else sass.get(symbol, "")
        entry = self._entry(candidate, launch, CompileOutcome.COMPILED)
        changes = {
            "symbol": symbol,
            "assumed": (*made.assumed, *note),
            **asdict(used),
            "shared_bytes": made.shared_bytes,
            "instructions": ptx_families(text, code),
            "assembly_bytes": len(made.assembly),
            "binary_bytes": len(made.binary),
        }
        return entry.model_copy(update=changes)

    def _amd(self, candidate: Candidate, launch: TritonLaunch, made: _Made) -> CompiledKernel:
        text = made.assembly.decode("utf-8", "replace")
        used = amd_resources(text)
        changes = {
            "symbol": launch.kernel,
            "assumed": made.assumed,
            **asdict(used),
            "shared_bytes": made.shared_bytes,
            "instructions": amd_families(text),
            "assembly_bytes": len(made.assembly),
            "binary_bytes": len(made.binary),
        }
        return self._entry(candidate, launch, CompileOutcome.COMPILED).model_copy(update=changes)

    def _unknown(self, candidate: Candidate, launch: TritonLaunch, words: str) -> CompiledKernel:
        entry = self._entry(candidate, launch, CompileOutcome.UNKNOWN)
        return entry.model_copy(update={"message": words, "assumed": launch.assumed()})

    def _entry(
        self, candidate: Candidate, launch: TritonLaunch, outcome: CompileOutcome
    ) -> CompiledKernel:
        return CompiledKernel(
            name=launch.kernel,
            arch=self._arch.name,
            language=TritonLanguage.name,
            outcome=outcome,
            where=f"{launch.file or candidate.main.path}:{launch.line}",
        )
