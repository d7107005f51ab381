"""PrecompiledHeaders: torch's header for g++, or several standard ones, for each set of flags.

The rule: the text is ours alone, the flags are on a closed list, and the file is used only with
exactly the flags it was made with. Sandboxes of compilers show it read-only; a candidate's shows
none, and holds a copy at most. It is made when its flags are asked for a second time: it costs as
much as two ordinary compilations and saves most of each further one.
"""

from __future__ import annotations

import contextlib
import threading
from dataclasses import dataclass
from pathlib import Path

from assay.data.record import content_id
from assay.exam.builds.kept_files import KeptFiles
from assay.exam.builds.unit_compiler import UnitCompiler
from assay.languages.extension.compile_flags import header_arguments

HEADER = "torch/extension.h"
_LIMIT_BYTES = 4 << 30
_LOCK = threading.Lock()  # one is made at a time in this process


@dataclass(frozen=True)
class PrecompiledHeaders:
    """Those of one toolchain."""

    folder: Path
    toolchain_id: str
    header: str = HEADER
    limit_bytes: int = _LIMIT_BYTES
    includes: str = ""  # what stands in it, where that is not the one header

    @property
    def _kept(self) -> KeptFiles:
        return KeptFiles(self.folder, f"/{self.header}.gch", self.limit_bytes)

    @property
    def _text(self) -> str:
        return self.includes or f"#include <{self.header}>\n"

    def key(self, arguments: tuple[str, ...]) -> str | None:
        """Of the header for a unit with these flags; None where there is none for them."""
        flags = header_arguments(arguments)
        return None if flags is None else content_id(self.toolchain_id, self._text, *flags)

    def leads(self, text: str) -> bool:
        """Whether a source begins with the header: g++ takes no precompiled one after that."""
        lines = (line.strip() for line in text.splitlines())
        first = next((line for line in lines if line and not line.startswith("//")), "")
        return first.replace(" ", "") in (f"#include<{self.header}>", f'#include"{self.header}"')

    def folder_for(
        self, arguments: tuple[str, ...], compiler: str, unit_compiler: UnitCompiler
    ) -> str | None:
        """The folder to look for headers in first; None where the ordinary way is to be taken."""
        flags, key = header_arguments(arguments), self.key(arguments)
        if flags is None or key is None:
            return None
        with _LOCK:
            if self._kept.found(key) is None and self._is_due(key):
                self._make(key, (compiler, *flags), unit_compiler)
        return str(self.folder / key) if self._kept.found(key) is not None else None

    def _is_due(self, key: str) -> bool:
        """Whether these flags were asked for before, and the compiler has not refused them."""
        mark = self.folder / f"{key}.asked"
        if mark.exists():
            return not (self.folder / f"{key}.refused").exists()
        with contextlib.suppress(OSError):
            self.folder.mkdir(parents=True, exist_ok=True)
            mark.touch()
        return False

    def _make(self, key: str, line: tuple[str, ...], unit_compiler: UnitCompiler) -> None:
        with contextlib.suppress(OSError):
            self._kept.path(key).parent.mkdir(parents=True, exist_ok=True)
            with self._kept.filling(key) as target:
                if not unit_compiler.precompile(self._text, line, target):
                    (self.folder / f"{key}.refused").touch()
