"""Modules: files of the candidate that run when they are imported, and imports by any means.

The rule: an import of another file of the candidate is followed, any other is a name. Code in
constant text is followed as if it had been written as code; other text makes the run opaque, and an
opaque run never proves that something is missing.
"""

from __future__ import annotations

import ast

from assay.python_tree import module_tree
from assay.source_analysis.interpreter.abstract_interpreter import Interpreter, StatementTable
from assay.source_analysis.interpreter.attributes import library
from assay.source_analysis.interpreter.dataflow import tags_of
from assay.source_analysis.interpreter.tags import Origin
from assay.source_analysis.interpreter.texts import texts
from assay.source_analysis.interpreter.values import (
    NOTHING,
    Box,
    CallSite,
    Class,
    Constant,
    Library,
    Scope,
    Value,
    box,
    join,
    ref,
)
from assay.source_analysis.own_modules import (
    absolute_name,
    file_of,
    folder_of,
    may_be_own,
    module_of,
    packages_above,
)
from assay.source_analysis.tables.reach import FOREIGN_CODE, MAIN_REACH, foreign_module

_MAIN = "candidate"  # the `__name__` of the file with the entry
_FILE_RUNNERS = frozenset(
    """importlib.util.spec_from_file_location importlib.machinery.SourceFileLoader runpy.run_path
    importlib.machinery.SourcelessFileLoader imp.load_source""".split()
)
_IMPORTERS = ("importlib.import_module", "importlib.__import__", "runpy.run_module")
_OWN_PLACES = ("os.getenv", "os.environ", "os.path")


def run_file(run: Interpreter, path: str) -> Scope | None:
    """The names of one file of the candidate, which runs once."""
    if path in run.heap.modules or path not in run.sources.trees:
        return run.heap.modules.get(path)
    name = _MAIN if path == run.sources.main_path else module_of(path)
    scope = Scope(path, {"__name__": ref(Constant(name)), "__file__": NOTHING})
    run.heap.modules[path] = scope
    run.execute(run.sources.trees[path].body, scope)
    return scope


def _run_module(run: Interpreter, name: str) -> Scope | None:
    """Another file of the candidate, by its dotted name; its packages run before it."""
    if not _has_module(run, name):
        return None
    for package in packages_above(name):
        above = _file_of(run, package)
        if above is not None:
            run_file(run, above)
    path = _file_of(run, name)
    if path is not None:
        return run_file(run, path)
    folder = folder_of(name)  # a package without a file of its own
    return run.heap.modules.setdefault(folder, Scope(folder))


def _has_module(run: Interpreter, name: str) -> bool:
    """True where the candidate has a file or folder that is this module."""
    if not name or not may_be_own(name, run.sources.given.hidden_packages):
        return False
    found = _file_of(run, name) is not None
    return found or any(own.startswith(folder_of(name)) for own in run.sources.trees)


def _file_of(run: Interpreter, name: str) -> str | None:
    return file_of(name, run.sources.trees, run.sources.given.hidden_packages)


def own_module(run: Interpreter, name: str) -> Value | None:
    """`sys.modules[__name__]`: a module of the candidate's own; None for any other."""
    main = module_of(run.sources.main_path) if name == _MAIN else name
    return _module(run, main) if _has_module(run, main) else None


def _module(run: Interpreter, name: str) -> Value:
    """A module by its dotted name: the candidate's own, or a library."""
    own = _run_module(run, name)
    if own is None:
        return ref(Library(name))
    value = ref(Class(name, ast.ClassDef(name, [], [], [], []), own, ()))
    package, _, last = name.rpartition(".")
    above = _run_module(run, package)
    if above is not None:  # Python binds a submodule in its package, and that in its own
        above.names.setdefault(last, value)
        _module(run, package)
    return value


def _import(run: Interpreter, node: ast.Import, scope: Scope) -> None:
    """`import a.b as c`."""
    for alias in node.names:
        if alias.name == "__main__":
            run.see(MAIN_REACH, "__main__", scope.place(node))
        _watch_import(run, alias.name, scope.place(node))
        module = _module(run, alias.name)
        if alias.asname:
            scope.names[alias.asname] = module
        else:
            root = alias.name.split(".")[0]
            scope.names[root] = _module(run, root)


def _watch_import(run: Interpreter, name: str, where: str) -> None:
    reach = foreign_module(name, by_call=False)
    if reach is not None and not _has_module(run, name):
        run.see(reach, name, where)


def _import_from(run: Interpreter, node: ast.ImportFrom, scope: Scope) -> None:
    """`from a import b as c`, and `from .a import b` out of the file's own package."""
    name = absolute_name(node.module or "", node.level, scope.module)
    own = _run_module(run, name)
    if own is None and node.level == 0:
        _watch_import(run, name, scope.place(node))
    for alias in node.names:
        target, bare = alias.asname or alias.name, name.lstrip(".")
        if alias.name == "*" and own is not None:
            scope.names.update(own.names)
        elif alias.name == "*":
            run.heap.star_modules.append(bare)
        elif own is not None:
            scope.names[target] = _member(run, name, alias.name, own)
        else:
            scope.names[target] = library(f"{bare}.{alias.name}")


def _member(run: Interpreter, package: str, name: str, own: Scope) -> Value:
    """A name that a module of the candidate's binds, or else the submodule of that name."""
    if name in own.names:
        return own.names[name]
    inner = f"{package}.{name}" if package.strip(".") else package + name
    return _module(run, inner) if _has_module(run, inner) else NOTHING


STATEMENTS: StatementTable = {ast.Import: _import, ast.ImportFrom: _import_from}


def code_call(run: Interpreter, name: str, call: CallSite) -> Value | None:
    """Imports and runs by call; None for any other name."""
    if name in _IMPORTERS:
        return import_by_name(run, call)
    writes = run.seen.writes_files or run.seen.compiles  # then a file it finds may be its own
    if name in _FILE_RUNNERS and not writes and _was_searched(call.all):
        run.see(FOREIGN_CODE, "the module it loads", call.where)
    if name == "runpy.run_path":
        run.seen.opaque = True
        return run.heap.unknown()
    return None


def _was_searched(values: list[Value]) -> bool:
    searched = {tag.name for tag in tags_of(values) if tag.origin is Origin.SURROUNDINGS}
    return any(not name.startswith(_OWN_PLACES) for name in searched)


def import_by_name(run: Interpreter, call: CallSite) -> Value:
    """`importlib.import_module(name)`, `__import__(name)`, for every name it may be."""
    names = [name for name in texts(call.get(0, "name")) if "*" not in name]
    if not names:
        run.seen.opaque = True
        return run.heap.unknown()
    return join([_import_one(run, name, call.where) for name in names])


def _import_one(run: Interpreter, name: str, where: str) -> Value:
    if name == "__main__":
        run.see(MAIN_REACH, "__main__", where)
    own = _run_module(run, name)
    if own is not None:
        return box(dict(own.names))
    reach = foreign_module(name, by_call=True)
    if reach is not None:
        run.see(reach, name, where)
        return ref(Library("foreign"))
    return ref(Library(name))


def evaluate_text(run: Interpreter, call: CallSite) -> Value:
    """`eval("...")`: constant text is followed."""
    tree = _parse(call.get(0))
    if tree is None or not tree.body or not isinstance(tree.body[0], ast.Expr):
        return _hidden(run, call)
    return run.evaluate(tree.body[0].value, call.scope)


def execute_text(run: Interpreter, call: CallSite) -> Value:
    """`exec("...")`: constant text is followed."""
    tree = _parse(call.get(0))
    if tree is None:
        return _hidden(run, call)
    spaces = [item for value in call.positional[1:] for item in value.of(Box)]
    inner = Scope(call.scope.module, {}, call.scope) if spaces else call.scope
    run.execute(tree.body, inner)
    for space in spaces:
        space.items.update(inner.names)
    return NOTHING


def _hidden(run: Interpreter, call: CallSite) -> Value:
    """Code that cannot be read here: found in a file, or made at run time."""
    run.seen.opaque = True
    if _was_searched([call.get(0)]):
        run.see(FOREIGN_CODE, "the code it executes", call.where)
    else:
        run.seen.hides_code = True
    return run.heap.unknown()


def _parse(value: Value) -> ast.Module | None:
    constant = value.constant()
    text = constant.value if constant is not None else None
    if isinstance(text, bytes):
        text = text.decode("utf-8", "replace")
    if not isinstance(text, str):
        return None
    try:
        return module_tree(text)
    except (SyntaxError, ValueError, RecursionError):
        return None
