"""Reading a candidate from disk: a Python file, a bare C++ file, or a folder of both.

The rule: only an unreadable path, or a folder with two entries, is an error here. A file with a
syntax error or without its entry is loaded all the same; building it will fail, and that is a
verdict about the candidate.

A candidate from source text: Python, or the bare source of a language that knows it.
"""

from __future__ import annotations

import ast
import re
from pathlib import Path

from assay.data.candidate import Candidate, SourceFile
from assay.errors import UsageError
from assay.languages.language_registry import LANGUAGES, detect_language, source_suffixes
from assay.python_tree import module_tree

_NAME = "source text"
_MOST_SOURCE = 2 * 2**20  # reading 18 MiB of Python for what it computes took five minutes


def candidate_of_text(text: str) -> Candidate:
    """One file under the neutral name that a single file always gets."""
    try:
        text.encode()
    except UnicodeEncodeError as error:
        raise UsageError(f"the candidate's source is not text: {error.reason}") from error
    _check_size(len(text), "the candidate's source")
    bare = (one.suffix_of(text) for one in LANGUAGES.working())
    suffix = next((suffix for suffix in bare if suffix), ".py")
    sources = (SourceFile(path=f"kernel{suffix}", text=text),)
    return Candidate(name=_NAME, language=detect_language(sources), sources=sources)


ENTRY = "ModelNew"
_ENTRY_LINE = re.compile(rf"^(?:class\s+{ENTRY}\b|{ENTRY}\s*=|def\s+{ENTRY}\b)", re.MULTILINE)


def load_candidate(path: Path) -> Candidate:
    """Read a file or a folder into a Candidate named after it."""
    _check_name(path)
    is_folder = _is_folder(path)
    sources = _read_folder(path) if is_folder else (_read_file(path, path.name),)
    _check_size(sum(len(one.text) for one in sources), str(path))
    if not is_folder:
        neutral = "kernel" + path.suffix
        sources = (SourceFile(path=neutral, text=sources[0].text),)
    return Candidate(name=str(path), language=detect_language(sources), sources=sources)


def _check_size(count: int, name: str) -> None:
    if count > _MOST_SOURCE:
        size = f"{count / 2**20:.1f} MiB of source"
        raise UsageError(f"{name}: {size}; a candidate has at most {_MOST_SOURCE // 2**20} MiB")


def _check_name(path: Path) -> None:
    try:
        str(path).encode()
    except UnicodeEncodeError as problem:
        raise UsageError(f"cannot read {str(path)!r}: its name is not UTF-8") from problem


def _is_folder(path: Path) -> bool:
    try:
        return path.is_dir()
    except OSError as problem:  # a name too long for the file system, for example
        raise UsageError(f"cannot read {_short(path)}: {problem.strerror}") from problem


def _short(path: Path) -> str:
    text = str(path)
    return text if len(text) <= 200 else f"{text[:100]}...{text[-60:]}"


def _read_file(path: Path, name: str) -> SourceFile:
    _check_name(path)
    if path.suffix not in source_suffixes():
        if not path.exists():
            raise UsageError(f"cannot read {path}: No such file or directory")
        known = ", ".join(source_suffixes())
        raise UsageError(f"{path}: a candidate is a folder or a file that ends in {known}")
    try:
        _check_size(path.stat().st_size, str(path))
        text = path.read_text(encoding="utf-8")
    except OSError as problem:
        raise UsageError(f"cannot read {path}: {problem.strerror or problem}") from problem
    except UnicodeDecodeError as problem:
        raise UsageError(f"cannot read {path}: it is not UTF-8 text") from problem
    return SourceFile(path=name, text=text)


def _read_folder(folder: Path) -> tuple[SourceFile, ...]:
    """All sources of a folder, the one with the entry first."""
    known = source_suffixes()
    found = [p for p in sorted(folder.rglob("*")) if p.suffix in known and p.is_file()]
    visible = [p for p in found if not _is_hidden(p.relative_to(folder))]
    if not visible:
        raise UsageError(f"{folder}: the folder holds no .py, .cpp or .cu file")
    files = [_read_file(p, p.relative_to(folder).as_posix()) for p in visible]
    entries = [file.path for file in files if defines_entry(file)]
    if len(entries) > 1:
        raise UsageError(
            f"{folder}: several files define {ENTRY}: {', '.join(entries)}; give one of them, or "
            f"rename {ENTRY} in the others"
        )
    return tuple(sorted(files, key=_rank))


def _is_hidden(inside: Path) -> bool:
    """True below a dot-directory of the candidate itself; where the folder lies does not count."""
    return any(part.startswith((".", "__pycache__")) for part in inside.parts)


def defines_entry(file: SourceFile) -> bool:
    """True where a Python file defines the entry at its top level; unparsable text is searched."""
    if not file.path.endswith(".py"):
        return False
    try:
        body = module_tree(file.text).body
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
    kind = 0 if defines_entry(file) else 1 if file.path.endswith(".py") else 2
    return kind, file.path.count("/"), file.path
