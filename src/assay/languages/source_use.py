"""SourceUse: what the files of a candidate import, call and name, read once for all languages.

The rule: it comes from parsed code; an unparsable file tells nothing.
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from assay.data.candidate import SourceFile
from assay.python_tree import module_tree


class SourceUse:
    """The facts that languages are detected by."""

    def __init__(self, sources: Iterable[SourceFile]) -> None:
        self.paths = tuple(file.path for file in sources)
        self.imports: set[str] = set()  # dotted names
        self.attributes: set[str] = set()  # `f` of `x.f`
        self.keywords: set[str] = set()  # of calls, where something is given for them
        self.programs: set[str] = set()  # first words of strings, without their folders
        for file in sources:
            if file.path.endswith(".py"):
                self._read(file.text)

    @property
    def is_python(self) -> bool:
        """Whether some file is Python's."""
        return self.holds(".py")

    @property
    def roots(self) -> set[str]:
        """Top-level packages that are imported."""
        return {name.split(".")[0] for name in self.imports}

    def holds(self, *suffixes: str) -> bool:
        """Whether some file ends so."""
        return any(path.endswith(suffixes) for path in self.paths)

    def _read(self, text: str) -> None:
        try:
            tree = module_tree(text)
        except (SyntaxError, ValueError, RecursionError):
            return
        for node in ast.walk(tree):
            match node:
                case ast.Import(names=names):
                    self.imports |= {alias.name for alias in names}
                case ast.ImportFrom(module=module, names=names):
                    self.imports |= {f"{module}.{alias.name}" for alias in names}
                case ast.keyword(arg=str() as name, value=value):
                    if not (isinstance(value, ast.Constant) and not value.value):
                        self.keywords.add(name)
                case ast.Attribute(attr=name):
                    self.attributes.add(name)
                case ast.Constant(value=str() as words):
                    self.programs.add(words.strip().split(" ")[0].rsplit("/", 1)[-1])
