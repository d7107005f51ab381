"""ExtensionBuild: in the candidate's process, in the place of torch's call of ninja.

The rule: the sources and flags are those that torch wrote down, and the link line is torch's. The
host compiles, where the result can be met again and headers are precompiled; whatever the host
declines, and whatever is not understood, is built by ninja as ever.
"""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from assay.languages.extension.compile_unit import (
    FOLDER,
    LISTENING,
    CompileAnswer,
    CompileCode,
    CompileUnit,
    answer_name,
    object_name,
    request_name,
)
from assay.languages.extension.ninja_file import NinjaFile, stands_alone

_STAMP = ".built"  # beside the library: what it was built from
_LOOK_S = 0.01
RunNinja = Callable[[str, bool, str], None]


def install() -> None:
    """Take ninja's place; once, and only where torch has that function."""
    from torch.utils import cpp_extension

    ninja = getattr(cpp_extension, "_run_ninja_build", None)
    if callable(ninja) and not isinstance(ninja, ExtensionBuild):
        cpp_extension._run_ninja_build = ExtensionBuild(ninja, os.environ.get("TMPDIR", "/tmp"))


@dataclass
class ExtensionBuild:
    """Called as torch calls ninja."""

    ninja: RunNinja
    scratch: str
    asked: int = 0  # units so far

    def __call__(self, build_directory: str, verbose: bool, error_prefix: str) -> None:
        """Build, or let ninja build."""
        with contextlib.suppress(OSError, UnicodeError, ValueError):
            build_file = NinjaFile.read(build_directory)
            if build_file is not None and self._built(build_file, error_prefix):
                return
        self.ninja(build_directory, verbose, error_prefix)

    def _built(self, build_file: NinjaFile, error_prefix: str) -> bool:
        stamp_file, stamp = Path(build_file.folder, _STAMP), build_file.stamp()
        library = Path(build_file.folder, build_file.library)
        if library.exists() and stamp_file.exists() and stamp_file.read_text() == stamp:
            return True
        units = list(build_file.units())
        if not self._is_heard() or not all(stands_alone(unit) for _, unit in units):
            return False
        numbers = {name: self._ask(unit) for name, unit in units}
        for name, number in numbers.items():
            answer = self._answer(number)
            if answer is None or answer.code is CompileCode.DECLINED:
                return False
            if answer.code is CompileCode.REFUSED:
                raise RuntimeError(f"{error_prefix}: FAILED: {name}\n{answer.output}")
            os.replace(self._path(object_name(number)), os.path.join(build_file.folder, name))
        _link(build_file, error_prefix)
        stamp_file.write_text(stamp)
        return True

    def _is_heard(self) -> bool:
        return os.path.exists(self._path(LISTENING))

    def _path(self, name: str) -> str:
        return os.path.join(self.scratch, FOLDER, name)

    def _ask(self, unit: CompileUnit) -> int:
        number, self.asked = self.asked, self.asked + 1
        whole = self._path(request_name(number))
        Path(f"{whole}.part").write_bytes(unit.packed())
        os.replace(f"{whole}.part", whole)
        return number

    def _answer(self, number: int) -> CompileAnswer | None:
        """Waits; None where nobody listens any more."""
        path = Path(self._path(answer_name(number)))
        while not path.exists():
            if not self._is_heard():
                return None
            time.sleep(_LOOK_S)
        return CompileAnswer.unpacked(path.read_bytes())


def _link(build_file: NinjaFile, error_prefix: str) -> None:
    sys.stdout.flush()
    done = subprocess.run(
        build_file.link_line(),
        cwd=build_file.folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        check=False,
    )
    if done.returncode != 0:
        output = done.stdout.decode("utf-8", "replace")
        raise RuntimeError(f"{error_prefix}: FAILED: {build_file.library}\n{output}")
