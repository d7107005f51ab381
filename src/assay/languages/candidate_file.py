"""Reading a candidate from disk: a Python file, a bare C++ file, or a folder of both.

The rule: only an unreadable path, or a folder with two entries, is an error here. A file with a
syntax error or without its entry is loaded all the same; building it will fail, and that is a
verdict about the candidate.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from assay.data.candidate import Candidate, Language, SourceFile
from assay.errors import UsageError

SUFFIXES = (".py", ".cpp", ".cc", ".cxx", ".cu", ".cuh", ".h", ".hpp")
CPP_SUFFIXES = (".cpp", ".cc", ".cxx")
ENTRY = "ModelNew"
_ENTRY_LINE = re.compile(rf"^(?:class\s+{ENTRY}\b|{ENTRY}\s*=|def\s+{ENTRY}\b)", re.MULTILINE)
_COMPILERS = frozenset(("g++", "gcc", "c++", "cc", "clang", "clang++", "icpx"))


def load_candidate(path: Path) -> Candidate:
    """Read a file or a folder into a Candidate named after it."""
    is_folder = _is_folder(path)
    sources = _read_folder(path) if is_folder else (_read_file(path, path.name),)
    if not is_folder:
        neutral = "kernel" + path.suffix
        sources = (SourceFile(path=neutral, text=sources[0].text),)
    return Candidate(name=str(path), language=detect_language(sources), sources=sources)


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as problem:  # a name too long for the file system, for example
        raise UsageError(f"cannot read {_short(path)}: {problem.strerror}") from problem


def _short(path: Path) -> str:
    text = str(path)
    return text if len(text) <= 200 else f"{text[:100]}...{text[-60:]}"


def _read_file(path: Path, name: str) -> SourceFile:
    if path.suffix not in SUFFIXES:
        if not path.exists():
            raise UsageError(f"cannot read {path}: No such file or directory")
        known = ", ".join(SUFFIXES)
        raise UsageError(f"{path}: a candidate is a .py or .cpp file or a folder; known: {known}")
    try:
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise UsageError(f"cannot read {path}: {problem.strerror or problem}") from problem
    except UnicodeDecodeError as problem:
        raise UsageError(f"cannot read {path}: it is not UTF-8 text") from problem
    return SourceFile(path=name, text=text)


def _read_folder(folder: Path) -> tuple[SourceFile, ...]:
    """All sources of a folder, the one with the entry first."""
    found = [p for p in sorted(folder.rglob("*")) if p.suffix in SUFFIXES and p.is_file()]
    visible = [p for p in found if not _is_hidden(p.relative_to(folder))]
    if not visible:
        raise UsageError(f"{folder}: the folder holds no .py, .cpp or .cu file")
    files = [_read_file(p, p.relative_to(folder).as_posix()) for p in visible]
    entries = [file.path for file in files if _has_entry(file)]
    if len(entries) > 1:
        raise UsageError(
            f"{folder}: several files define {ENTRY}: {', '.join(entries)}; give one of them, or "
            f"rename {ENTRY} in the others"
        )
    return tuple(sorted(files, key=_rank))


def _is_hidden(inside: Path) -> bool:
    """True below a dot-directory of the candidate itself; where the folder lies does not count."""
    return any(part.startswith((".", "__pycache__")) for part in inside.parts)


def _has_entry(file: SourceFile) -> bool:
    """True where a Python file defines the entry at its top level; unparsable text is searched."""
    if not file.path.endswith(".py"):
        return False
    try:
        body = ast.parse(file.text).body
    except (SyntaxError, ValueError, RecursionError):
        return _ENTRY_LINE.search(file.text) is not None
    return any(_defines_entry(node) for node in body)


def _defines_entry(node: ast.stmt) -> bool:
    if isinstance(node, ast.ClassDef | ast.FunctionDef):
        return node.name == ENTRY
    targets = node.targets if isinstance(node, ast.Assign) else []
    return any(isinstance(target, ast.Name) and target.id == ENTRY for target in targets)


def _rank(file: SourceFile) -> tuple[int, int, str]:
    """Order of files: the entry's, then Python, then the rest; shallow before deep."""
    kind = 0 if _has_entry(file) else 1 if file.path.endswith(".py") else 2
    return kind, file.path.count("/"), file.path


def detect_language(sources: tuple[SourceFile, ...]) -> Language:
    """What the kernels are written in, from parsed imports and calls, never from words."""
    python = [file for file in sources if file.path.endswith(".py")]
    if not python:
        bare = sources[0].path.endswith(CPP_SUFFIXES)
        return Language.CPP_SOURCE if bare else Language.CUDA
    used = _Used()
    for file in python:
        used.read(file.text)
    if any(file.path.endswith((".cu", ".cuh")) for file in sources):
        used.cuda = True
    return used.language()


class _Used:
    """What the Python files of a candidate import and call."""

    def __init__(self) -> None:
        self.triton = self.numba = self.cuda = self.cpp = False

    def read(self, text: str) -> None:
        """Note imports, keyword names and compiler names; an unparsable file tells nothing."""
        try:
            tree = ast.parse(text)
        except (SyntaxError, ValueError, RecursionError):
            return
        for node in ast.walk(tree):
            self._read_node(node)

    def _read_node(self, node: ast.AST) -> None:
        if isinstance(node, ast.Import):
            self._imports([alias.name for alias in node.names])
        elif isinstance(node, ast.ImportFrom):
            self._imports([f"{node.module}.{alias.name}" for alias in node.names])
        elif isinstance(node, ast.keyword) and node.arg in ("cuda_sources", "cuda_source"):
            empty = isinstance(node.value, ast.Constant) and not node.value.value
            self.cuda = self.cuda or not empty
        elif isinstance(node, ast.Attribute) and node.attr in ("load_inline", "_compile_kernel"):
            self.cpp = self.cpp or node.attr == "load_inline"
            self.cuda = self.cuda or node.attr == "_compile_kernel"
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            program = node.value.strip().split(" ")[0].rsplit("/", 1)[-1]
            self.cuda = self.cuda or program in ("nvcc", "hipcc")
            self.cpp = self.cpp or program in _COMPILERS

    def _imports(self, names: list[str]) -> None:
        roots = {name.split(".")[0] for name in names}
        self.triton = self.triton or "triton" in roots
        self.numba = self.numba or "numba" in roots
        self.cpp = self.cpp or any(
            name.endswith((".load_inline", "cpp_extension")) for name in names
        )
        self.cuda = self.cuda or bool(roots & {"cupy", "pycuda", "cutlass"})

    def language(self) -> Language:
        """One language: the most specific that is used."""
        if self.triton:
            return Language.TRITON
        if self.cuda:
            return Language.CUDA
        if self.numba:
            return Language.NUMBA
        return Language.CPP if self.cpp else Language.TORCH
