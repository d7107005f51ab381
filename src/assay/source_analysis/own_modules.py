"""Which file of a candidate an import means, by Python's own rules for packages.

The rule: the interpreter's modules and installed packages come before the candidate's files, as
they do where it runs, so that a file named like a library never stands for it here.
"""

from __future__ import annotations

import sys
import sysconfig
from collections.abc import Container
from functools import cache
from pathlib import Path

_INIT = "__init__.py"


def absolute_name(module: str, level: int, path: str) -> str:
    """What `from ..module import x` means in the file at `path`; a dot leads a relative name."""
    if level == 0:
        return module
    folders = path.split("/")[:-1]
    kept = folders[: max(0, len(folders) - level + 1)]
    return "." + ".".join([*kept, *([module] if module else [])])


def file_of(name: str, files: Container[str], hidden: Container[str] = ()) -> str | None:
    """The candidate's file that holds a module: a package's `__init__` or a plain file."""
    if not may_be_own(name, hidden):
        return None
    base = folder_of(name)
    return next((path for path in (base + _INIT, base[:-1] + ".py") if path in files), None)


def may_be_own(name: str, hidden: Container[str] = ()) -> bool:
    """True where Python would look for the module in the candidate's folder.

    A package that is hidden from the candidate is not found before its own files.
    """
    root = name.split(".")[0]
    return name.startswith(".") or root in hidden or not is_installed(root)


def folder_of(name: str) -> str:
    """The folder of a package, with a slash behind it; nothing for the candidate's own folder."""
    parts = [part for part in name.split(".") if part]
    return "".join(f"{part}/" for part in parts)


def module_of(path: str) -> str:
    """The dotted name of the module in a file."""
    return path.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def packages_above(name: str) -> list[str]:
    """The packages that Python runs before a module: `a` and `a.b` before `a.b.c`."""
    lead = "." if name.startswith(".") else ""
    parts = [part for part in name.split(".") if part]
    return [lead + ".".join(parts[:count]) for count in range(1, len(parts))]


@cache
def is_installed(root: str) -> bool:
    """True where the interpreter finds this name before it looks at the candidate's folder."""
    if root in sys.stdlib_module_names or root in sys.builtin_module_names:
        return True
    places = {sysconfig.get_path(kind) for kind in ("purelib", "platlib")}
    names = (root, f"{root}.py", *(f"{root}{suffix}" for suffix in (".so", ".abi3.so")))
    return any((Path(place) / name).exists() for place in places for name in names)
