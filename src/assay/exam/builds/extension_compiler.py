"""ExtensionCompiler: a unit that a candidate's build asks for becomes an object, or is declined.

The rule: an object is met again by whoever asks for the same text under the same path with the same
flags and the same toolchain. It was made by the host's own run of the compiler; what a candidate's
sandbox compiled itself is never kept here.
"""

from __future__ import annotations

import functools
import hashlib
import subprocess
from dataclasses import dataclass
from pathlib import Path

from assay.data.record import content_id
from assay.exam.builds.kept_files import KeptFiles
from assay.exam.builds.precompiled_header import PrecompiledHeaders
from assay.exam.builds.unit_compiler import Compiled, UnitCompiler
from assay.languages.cuda.cuda_language import find_nvcc
from assay.languages.cuda.narrow_headers import narrow_files
from assay.languages.extension.compile_flags import are_known, is_compiler
from assay.languages.extension.compile_unit import (
    CompileAnswer,
    CompileCode,
    CompileTool,
    CompileUnit,
)

_OBJECT_LIMIT_BYTES = 1 << 30
_NARROW = "narrow_headers"  # a folder of the compiler's sandbox
_MISSING = "No such file or directory"  # a header that is not shown here may lie in the candidate's


@dataclass(frozen=True)
class ExtensionCompiler:
    """Objects and headers of one toolchain."""

    objects: KeptFiles
    headers: PrecompiledHeaders
    toolchain_id: str

    @classmethod
    def of(cls, folder: Path, toolchain_id: str) -> ExtensionCompiler:
        """With everything below one folder."""
        whole = content_id(toolchain_id, _processor(), _nvcc_version())
        objects = KeptFiles(folder / "objects", ".o", _OBJECT_LIMIT_BYTES)
        return cls(objects, PrecompiledHeaders(folder / "headers", whole), whole)

    def key(self, unit: CompileUnit) -> str:
        """Everything that decides what comes out."""
        said = (unit.tool, unit.program, unit.path, unit.text)
        return content_id(self.toolchain_id, *said, *unit.arguments)

    def compile(self, unit: CompileUnit, compiler: UnitCompiler) -> tuple[CompileAnswer, bytes]:
        """The answer and the object."""
        root = f"{compiler.root}/"
        inside = unit.path.startswith(root) and ".." not in unit.path.split("/")
        known = is_compiler(unit.tool, unit.program, compiler.root)
        if not inside or not known or not are_known(unit.tool, unit.arguments, compiler.root):
            return CompileAnswer(CompileCode.DECLINED), b""
        kept = self.objects.load(self.key(unit))
        if kept is not None:
            return CompileAnswer(CompileCode.COMPILED), kept
        done = self._compiled(unit, compiler)
        if done.ok:
            self.objects.store(self.key(unit), done.made)
            return CompileAnswer(CompileCode.COMPILED, done.output), done.made
        refused = CompileCode.DECLINED if _MISSING in done.output else CompileCode.REFUSED
        return CompileAnswer(refused, done.output), b""

    def _compiled(self, unit: CompileUnit, compiler: UnitCompiler) -> Compiled:
        """With the shortest way to torch's headers, else with those that it asks for."""
        if unit.tool is CompileTool.NVCC:
            done = _with_narrow_headers(unit, compiler)
            if done is not None and done.ok:
                return done
        elif self.headers.leads(unit.text):
            folder = self.headers.folder_for(unit.arguments, unit.program, compiler)
            if folder is not None:
                line = (unit.program, f"-I{folder}", *unit.arguments)
                return compiler.compile(unit, line, (folder,))
        return compiler.compile(unit, (unit.program, *unit.arguments))


def _with_narrow_headers(unit: CompileUnit, compiler: UnitCompiler) -> Compiled | None:
    """None where the source needs all of torch's."""
    files = narrow_files(unit.text)
    if files is None:
        return None
    beside = {f"{_NARROW}/{name}": text for name, text in files.items()}
    line = (unit.program, f"-I{compiler.root}/{_NARROW}", *unit.arguments)
    return compiler.compile(unit, line, beside=beside)


@functools.cache
def _processor() -> str:
    """What `-march=native` stands for."""
    text = Path("/proc/cpuinfo").read_text()
    told = sorted({line for line in text.splitlines() if line.startswith(("model name", "flags"))})
    return hashlib.sha256("\n".join(told).encode()).hexdigest()


@functools.cache
def _nvcc_version() -> str:
    nvcc = find_nvcc()
    if nvcc is None:
        return ""
    done = subprocess.run([nvcc, "--version"], capture_output=True, text=True, check=False)
    return done.stdout
