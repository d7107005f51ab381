"""Bytecode folder: where our own processes keep compiled modules that an installation lacks.

Images with PYTHONDONTWRITEBYTECODE, and packages in folders that cannot be written, often hold no
bytecode. Then every judge process compiles torch and all it imports anew: 7 s of processor on a
machine with an H200, and 4 s for every warm parent.

Where torch has some and only Assay itself lacks it (an editable installation), the folder holds
Assay's modules alone: torch's are read where they lie.

The rule: it is used only where bytecode is missing and Python would not keep any. It belongs to
this user, and nobody else can open it. Processes that run no candidate write it; no sandbox shows
it. Python compares each file with the date and size of its source, so nothing in it goes stale.
"""

from __future__ import annotations

import contextlib
import importlib.util
import os
import stat
import sys
from collections.abc import Mapping, Sequence
from importlib.machinery import ModuleSpec, PathFinder, SourceFileLoader
from types import CodeType, ModuleType

_OWN = "assay"
_PREFIX, _FORBIDS = "PYTHONPYCACHEPREFIX", "PYTHONDONTWRITEBYTECODE"
_FOR_OTHERS = 0o077


def with_bytecode(environment: Mapping[str, str]) -> dict[str, str]:
    """Variables of an interpreter that this process starts: as given, and where its bytecode is.

    What this process was itself started with goes on; else a folder of ours, where one is needed.
    """
    folder = sys.pycache_prefix or _needed_folder()
    if folder is None:
        return dict(environment)
    found = {name: value for name, value in environment.items() if name != _FORBIDS}
    forbidden = sys.pycache_prefix is not None and sys.dont_write_bytecode
    return found | {_PREFIX: folder} | ({_FORBIDS: "1"} if forbidden else {})


def keep_bytecode() -> None:
    """The same for this process, from now on; only for one that is ours from its start."""
    if sys.pycache_prefix is not None:
        return
    folder = _needed_folder()
    if folder is not None:
        sys.pycache_prefix, sys.dont_write_bytecode = folder, False
    elif _forgets(__file__) and (own := _folder()) is not None:
        sys.meta_path.insert(0, _OwnModules(own))


class _OwnModules:
    """Finds Assay's modules where Python finds them; their bytecode is in a folder."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def find_spec(
        self, name: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """None for what is not ours."""
        if not name.startswith(f"{_OWN}."):
            return None
        found = PathFinder.find_spec(name, path, target)
        if found is not None and type(found.loader) is SourceFileLoader:
            found.loader = _KeptLoader(found.loader.name, found.loader.path)
            found.loader.folder = self._folder
        return found


class _KeptLoader(SourceFileLoader):
    """Reads and writes the bytecode of one module in a folder."""

    folder = ""

    def get_code(self, fullname: str) -> CodeType | None:
        """As ever, with the interpreter's settings changed for so long."""
        before = sys.pycache_prefix, sys.dont_write_bytecode
        sys.pycache_prefix, sys.dont_write_bytecode = self.folder, False
        try:
            return super().get_code(fullname)
        finally:
            sys.pycache_prefix, sys.dont_write_bytecode = before


def _needed_folder() -> str | None:
    return _folder() if _is_needed() else None


def _is_needed() -> bool:
    """Whether torch has no bytecode, and its import would leave none."""
    with contextlib.suppress(ImportError, ValueError):
        found = importlib.util.find_spec("torch")
        if found is not None and found.origin is not None:
            return _forgets(found.origin)
    return False


def _forgets(source: str) -> bool:
    """Whether a module has no bytecode, and importing it leaves none."""
    kept = os.path.exists(importlib.util.cache_from_source(source))
    writable = os.access(os.path.dirname(source), os.W_OK)
    return not kept and (sys.dont_write_bytecode or not writable)


def _folder() -> str | None:
    """$ASSAY_CACHE/bytecode, or that of the user's cache folder; None where it is not safe."""
    chosen = os.environ.get("ASSAY_CACHE")
    base = os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache")
    path = os.path.abspath(os.path.join(chosen or os.path.join(base, "assay"), "bytecode"))
    try:
        os.makedirs(os.path.dirname(path), exist_ok=True)
        with contextlib.suppress(FileExistsError):
            os.mkdir(path, 0o700)
        return path if _is_private(path) else None
    except OSError:
        return None


def _is_private(path: str) -> bool:
    """A folder of this user that nobody else can open, and no link to one."""
    found = os.lstat(path)
    owned = stat.S_ISDIR(found.st_mode) and found.st_uid == os.getuid()
    return owned and not found.st_mode & _FOR_OTHERS
