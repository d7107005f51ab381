"""Code that is text or lies in files, in the abstract run: eval, exec, imports by call.

The rule: text that is constant is followed as if it had been written as code; text that is not
makes the run opaque, and an opaque run never proves that something is missing.
"""

from __future__ import annotations

import ast

from assay.guard.arguments import Arguments
from assay.guard.foreign_modules import foreign_module
from assay.guard.reach import FOREIGN_CODE, MAIN_REACH
from assay.guard.tags import Origin
from assay.guard.texts import texts
from assay.guard.trace_calls import CallTrace
from assay.guard.values import NOTHING, Box, BoxObject, Library, Scope, Value, join, ref

_FILE_RUNNERS = frozenset(
    """importlib.util.spec_from_file_location importlib.machinery.SourceFileLoader runpy.run_path
    importlib.machinery.SourcelessFileLoader imp.load_source""".split()
)


class CodeTrace(CallTrace):
    """Follows code behind text and names."""

    hides_code = False  # text that cannot be worked out is executed

    def code_call(self, name: str, given: Arguments, node: ast.AST, scope: Scope) -> Value | None:
        """Imports and runs by call; None for any other name."""
        where = self.place(node, scope)
        if name in ("importlib.import_module", "importlib.__import__", "runpy.run_module"):
            return self.import_by_name(given, where)
        if name in _FILE_RUNNERS:
            self._run_file_by_path(given, where)
        if name == "runpy.run_path":
            self.opaque = True
            return self.unknown()
        return None

    def _run_file_by_path(self, given: Arguments, where: str) -> None:
        """A file that was searched for is somebody else's, unless the candidate writes files."""
        if self._was_searched(given.all) and not self.writes_files and not self.compiles:
            self.see(FOREIGN_CODE, "the module it loads", where)

    def _was_searched(self, values: list[Value]) -> bool:
        tags = self.tensor_tags(values)
        searched = {tag.name for tag in tags if tag.origin is Origin.SURROUNDINGS}
        return any(not name.startswith(("os.getenv", "os.environ", "os.path")) for name in searched)

    def import_by_name(self, given: Arguments, where: str) -> Value:
        """`importlib.import_module(name)`, for every name it may be."""
        names = [name for name in texts(given.get(0, "name")) if "*" not in name]
        if not names:
            self.opaque = True
            return self.unknown()
        return join([self._import_one(name, where) for name in names])

    def _import_one(self, name: str, where: str) -> Value:
        if name == "__main__":
            self.see(MAIN_REACH, "__main__", where)
        own = self.run_module(name)
        if own is not None:
            return ref(Box(BoxObject(dict(own.names))))
        reach = foreign_module(name, by_call=True)
        if reach is not None:
            self.see(reach, name, where)
            return ref(Library("foreign"))
        return ref(Library(name))

    def builtin___import__(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`__import__("torch")`."""
        return self.import_by_name(given, self.place(node, scope))

    def builtin_eval(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`eval("...")`: constant text is followed."""
        tree = _parse(given.get(0))
        if tree is None or not tree.body or not isinstance(tree.body[0], ast.Expr):
            return self._hidden(given, self.place(node, scope))
        return self.evaluate(tree.body[0].value, scope)

    def builtin_exec(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`exec("...")`: constant text is followed."""
        tree = _parse(given.get(0))
        if tree is None:
            return self._hidden(given, self.place(node, scope))
        spaces = [r for v in given.positional[1:] for r in v.refs if isinstance(r, Box)]
        inner = Scope(scope.module, {}, scope) if spaces else scope
        self.run_body(tree.body, inner)
        for space in spaces:
            space.object.items.update(inner.names)
        return NOTHING

    def _hidden(self, given: Arguments, where: str) -> Value:
        """Code that cannot be read here: found in a file, or made at run time."""
        self.opaque = True
        if self._was_searched([given.get(0)]):
            self.see(FOREIGN_CODE, "the code it executes", where)
        else:
            self.hides_code = True
        return self.unknown()

    def builtin_compile(self, given: Arguments, node: ast.AST, scope: Scope) -> Value:
        """`compile("...", ...)`: hands its text on to exec or eval."""
        return given.get(0)


def _parse(value: Value) -> ast.Module | None:
    constant = value.constant()
    text = constant.value if constant is not None else None
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    if not isinstance(text, str):
        return None
    try:
        return ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
