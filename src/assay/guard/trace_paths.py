"""Paths and files in the abstract run: which places a candidate may read, search and write.

The rule: paths are followed as text, known whole or in part; a place is judged by what is known of
it.
"""

from __future__ import annotations

import posixpath
from collections.abc import Callable

from assay.data.evidence import EvidenceKind, Severity
from assay.guard.arguments import Arguments
from assay.guard.decoding import decode, decodes
from assay.guard.paths import PathMeaning, meaning_of_read, meaning_of_write
from assay.guard.reach import Reach
from assay.guard.texts import joined_path, outlined, texts
from assay.guard.trace_kernels import KernelTrace
from assay.guard.values import (
    Box,
    BoxObject,
    Constant,
    Library,
    Outline,
    Value,
    join,
    ref,
)

_REACHED = EvidenceKind.REACHED_OUT
_CONVICTS, _SUSPICIOUS, _NOTE = Severity.CONVICTS, Severity.SUSPICIOUS, Severity.NOTE
_READS = {
    PathMeaning.SECRET: Reach(
        _REACHED, _CONVICTS, _CONVICTS, "holds secrets or the memory of a process"
    ),
    PathMeaning.ODD: Reach(_REACHED, _SUSPICIOUS, _SUSPICIOUS, "tells of processes"),
    PathMeaning.MACHINE: Reach(_REACHED, _NOTE, _NOTE, "tells of the machine"),
}
_WRITES = Reach(_REACHED, _CONVICTS, _CONVICTS, "belongs to installed software, and is written to")
_SAME_PATH = frozenset(
    """os.path.abspath os.path.realpath os.path.normpath os.path.expanduser os.path.expandvars
    os.fspath os.fsencode os.fsdecode os.path.normcase ctypes.c_char_p builtins.bytes""".split()
)
_SEARCHES = frozenset("glob.glob glob.iglob".split())
_WRITERS = frozenset(
    """os.remove os.unlink os.rename os.replace os.symlink os.link os.mkdir os.makedirs os.truncate
    os.chmod os.rmdir shutil.rmtree shutil.copy shutil.copyfile shutil.copy2 shutil.move
    shutil.copytree torch.save numpy.save""".split()
)
_COPIERS = ("shutil.copy", "shutil.copyfile", "shutil.copy2", "shutil.copytree")
_OPENERS = frozenset("builtins.open io.open codecs.open builtins.open_code".split())
_SILENT = ("builtins.print", "logging.", "warnings.", "builtins.len", "builtins.isinstance")


class PathTrace(KernelTrace):
    """Follows paths."""

    writes_files = False

    def path_call(self, name: str, given: Arguments) -> Value | None:
        """The value of a call that makes, splits, searches or decodes text; None for others."""
        if name == "os.path.join":
            return join([joined_path(list(given.positional)), self.told(given.all)])
        if name in _SAME_PATH:
            found = outlined(texts(given.get(0)))
            return join([found, self.told(given.all)]) if found.refs else None
        if name == "os.path.dirname":
            return self._split(given, posixpath.dirname)
        if name == "os.path.basename":
            return self._split(given, posixpath.basename)
        if name in ("pathlib.Path", "pathlib.PurePath", "pathlib.PosixPath"):
            made = join([joined_path(list(given.positional)), ref(Library("pathlib.Path()"))])
            return join([made, self.told(given.all)])
        if name in _SEARCHES:
            found = join([outlined(texts(given.get(0))), self.surroundings(name)])
            return ref(Box(BoxObject(rest=join([found, self.told(given.all)]))))
        if name == "ctypes.util.find_library":
            known = [f"lib{text}.so" for text in texts(given.get(0))]
            return join([outlined(known), ref(Library("ctypes.util.find_library()"))])
        if name in ("site.getsitepackages", "sysconfig.get_path", "sysconfig.get_paths"):
            return ref(Box(BoxObject(rest=ref(Outline("/site-packages")))))
        return self._decoded(name, given) if decodes(name) else None

    def _split(self, given: Arguments, part: Callable[[str], str]) -> Value:
        found = outlined([part(text) for text in texts(given.get(0))])
        return join([found, self.told(given.all)])

    def _decoded(self, name: str, given: Arguments) -> Value | None:
        constants = [value.constant() for value in given.positional]
        if not constants or any(constant is None for constant in constants):
            return None
        found = decode(name, [c.value for c in constants if c])
        return ref(Constant(found)) if found is not None else None

    def watch_files(self, name: str, given: Arguments, where: str) -> None:
        """Record the places a call touches that are not a kernel's."""
        if name.startswith(_SILENT):
            return
        writes = self._is_write(name, given)
        self.writes_files = self.writes_files or (writes and name in _OPENERS)
        written = given.all[1:] if name in _COPIERS else given.all[:1]
        for value in written if writes else []:
            for text in texts(value):
                if meaning_of_write(text) is not PathMeaning.ORDINARY:
                    self.see(_WRITES, text, where)
        for value in self._all_texts(name, given):
            for text in texts(value):
                self.read_place(text, where)

    def _all_texts(self, name: str, given: Arguments) -> list[Value]:
        """Arguments, and the words of a command line."""
        if not name.startswith(("subprocess.", "os.exec", "os.spawn", "os.posix_spawn")):
            return given.all
        boxes = [r.object for v in given.all for r in v.refs if isinstance(r, Box)]
        return [*given.all, *(value for box in boxes for value in box.items.values())]

    def read_place(self, path: str, where: str) -> None:
        """Record a place that is read, where that says anything."""
        is_path = path.startswith(("/", "~", "*", ".")) and "\n" not in path[:400]
        meaning = meaning_of_read(path) if is_path else PathMeaning.ORDINARY
        telling = meaning is not PathMeaning.MACHINE or path.startswith("/proc")
        if meaning in _READS and telling:
            self.see(_READS[meaning], path, where)

    def _is_write(self, name: str, given: Arguments) -> bool:
        if name in _OPENERS:
            mode = given.get(1, "mode").text() or ""
            return any(letter in mode for letter in "wax+")
        if name == "os.open":
            flags = given.get(1, "flags").refs
            return any(isinstance(r, Library) and _writes_by(r.name) for r in flags)
        return name in _WRITERS


def _writes_by(flag: str) -> bool:
    return flag.rpartition(".")[2] in ("O_WRONLY", "O_RDWR", "O_CREAT", "O_TRUNC", "O_APPEND")
