"""NinjaFile: the units and the link line of the build file that torch writes for an extension.

The rule: only what torch itself writes is understood. Anything else is left to ninja.
"""

from __future__ import annotations

import hashlib
import os
import re
import shlex
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from assay.languages.extension.compile_unit import CompileTool, CompileUnit

NAME = "build.ninja"
_SETTING = re.compile(r"(\w+) = (.*)")
_BUILD = re.compile(r"build (\S+): (compile|cuda_compile|link) (.+)")
_RULES = (
    "rule ",
    "  command = ",
    "  depfile = ",
    "  deps = ",
    "default ",
    "ninja_required_version",
)
_NVCC = "  command = $nvcc {} $cuda_cflags -c $in -o $out $cuda_post_cflags"
_ORDINARY = {  # what torch's rules say; other rules are other builds
    "  command = $cxx -MMD -MF $out.d $cflags -c $in -o $out $post_cflags",
    _NVCC.format("-MD -MF $out.d"),
    _NVCC.format("--generate-dependencies-with-compile --dependency-output $out.d"),
    _NVCC.format(""),
    "  command = $cxx $in $ldflags -o $out",
}
# What a compiler elsewhere would not see as it is here.
_LOCAL = re.compile(
    r"__has_include|\.incbin|#\s*embed|#\s*include_next|__(?:DATE|TIME|TIMESTAMP)__"
)
_QUOTED = re.compile(r'^[ \t]*#[ \t]*include[ \t]*"([^"]+)"', re.MULTILINE)
_PLAIN_INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]*(?![ \t]*[<"])', re.MULTILINE)


@dataclass(frozen=True)
class NinjaFile:
    """Settings, and objects by the sources they are made of."""

    folder: str
    settings: dict[str, str]
    objects: dict[str, tuple[str, str]]  # object -> rule, source
    library: str
    linked: tuple[str, ...]

    @classmethod
    def read(cls, folder: str) -> NinjaFile | None:
        """None where it holds anything that torch does not write for a plain extension."""
        settings: dict[str, str] = {}
        objects: dict[str, tuple[str, str]] = {}
        library, linked = "", tuple[str, ...]()
        for line in filter(None, Path(folder, NAME).read_text().splitlines()):
            built, setting = _BUILD.fullmatch(line), _SETTING.fullmatch(line)
            if line.startswith("  command = ") and line not in _ORDINARY:
                return None
            if line.startswith(_RULES):
                continue
            if "$" in line:
                return None
            if built is not None and built[2] == "link":
                library, linked = built[1], tuple(built[3].split())
            elif built is not None:
                objects[built[1]] = (built[2], built[3])
            elif setting is not None:
                settings[setting[1]] = setting[2]
            else:
                return None
        if not library or set(linked) != set(objects) or not settings.get("cxx"):
            return None
        return cls(folder, settings, objects, library, linked)

    def units(self) -> Iterator[tuple[str, CompileUnit]]:
        """Each object with what it is compiled from."""
        for name, (rule, source) in self.objects.items():
            cuda = rule == "cuda_compile"
            flags = ("cuda_cflags", "cuda_post_cflags") if cuda else ("cflags", "post_cflags")
            arguments = [a for flag in flags for a in shlex.split(self.settings.get(flag, ""))]
            tool = CompileTool.NVCC if cuda else CompileTool.CXX
            program = _program(self.settings["nvcc" if cuda else "cxx"])
            text = Path(source).read_text()
            yield name, CompileUnit(tool, program, source, text, tuple(arguments))

    def link_line(self) -> list[str]:
        """Torch's, word for word."""
        flags = shlex.split(self.settings.get("ldflags", ""))
        return [*shlex.split(self.settings["cxx"]), *self.linked, *flags, "-o", self.library]

    def stamp(self) -> str:
        """A hash over the build file and the sources."""
        digest = hashlib.sha256(Path(self.folder, NAME).read_bytes())
        for _, source in self.objects.values():
            digest.update(hashlib.sha256(Path(source).read_bytes()).digest())
        return digest.hexdigest()


def _program(line: str) -> str:
    """The compiler; torch puts ccache before it where it finds that, and it is switched off."""
    words = shlex.split(line)
    cached = len(words) == 2 and os.path.basename(words[0]) == "ccache"
    return words[1] if cached else line


def stands_alone(unit: CompileUnit) -> bool:
    """Whether a source needs no file of the candidate's and says the same anywhere."""
    if _LOCAL.search(unit.text) or _PLAIN_INCLUDE.search(unit.text):
        return False
    folder = os.path.dirname(unit.path)
    return not any(os.path.exists(os.path.join(folder, n)) for n in _QUOTED.findall(unit.text))
