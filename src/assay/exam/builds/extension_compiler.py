"""ExtensionCompiler: a unit that a candidate's build asks for becomes an object, or is declined.

The rule: an object is met again by whoever asks for the same text under the same path with the same
flags and the same toolchain. It was made by the host's own run of the compiler; what a candidate's
sandbox compiled itself is never kept here.
"""

from __future__ import annotations

import functools
import hashlib
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from assay.data.record import content_id
from assay.exam.builds.kept_files import KeptFiles
from assay.exam.builds.precompiled_header import PrecompiledHeaders
from assay.exam.builds.unit_compiler import Compiled, UnitCompiler
from assay.languages.cuda.cuda_language import find_nvcc
from assay.languages.extension.compile_flags import are_known
from assay.languages.extension.compile_unit import (
    CompileAnswer,
    CompileCode,
    CompileTool,
    CompileUnit,
)

_OBJECT_LIMIT_BYTES = 1 << 30
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
        return content_id(self.toolchain_id, unit.tool, unit.path, unit.text, *unit.arguments)

    def compile(self, unit: CompileUnit, compiler: UnitCompiler) -> tuple[CompileAnswer, bytes]:
        """The answer and the object."""
        root = f"{compiler.root}/"
        inside = unit.path.startswith(root) and ".." not in unit.path.split("/")
        program = _program(unit.tool)
        if program is None or not inside or not are_known(unit.tool, unit.arguments, compiler.root):
            return CompileAnswer(CompileCode.DECLINED), b""
        kept = self.objects.load(self.key(unit))
        if kept is not None:
            return CompileAnswer(CompileCode.COMPILED), kept
        done = self._compiled(unit, program, compiler)
        if done.ok:
            self.objects.store(self.key(unit), done.made)
            return CompileAnswer(CompileCode.COMPILED, done.output), done.made
        refused = CompileCode.DECLINED if _MISSING in done.output else CompileCode.REFUSED
        return CompileAnswer(refused, done.output), b""

    def _compiled(self, unit: CompileUnit, program: str, compiler: UnitCompiler) -> Compiled:
        if unit.tool is CompileTool.NVCC:
            return compiler.compile(unit, (program, *unit.arguments), ())
        folder = None
        if self.headers.leads(unit.text):
            folder = self.headers.folder_for(unit.arguments, program, compiler)
        if folder is None:
            return compiler.compile(unit, (program, *unit.arguments), ())
        return compiler.compile(unit, (program, f"-I{folder}", *unit.arguments), (folder,))


def _program(tool: CompileTool) -> str | None:
    """Torch's choice: `c++` on PATH, and the toolkit's nvcc."""
    return shutil.which("c++") if tool is CompileTool.CXX else find_nvcc()


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
