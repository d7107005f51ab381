"""Watching calls in the abstract run: what each reaches beyond the candidate's own module.

The rule: every library call passes here once, whatever it is; nothing here changes a value.
"""

from __future__ import annotations

import ast
import re
from abc import abstractmethod

from assay.guard.arguments import Arguments
from assay.guard.overrides import override_reach
from assay.guard.python_kernels import is_compiler
from assay.guard.reach import (
    EXIT_FORGERY,
    FORGED_WRITE,
    MAIN_REACH,
    MODE_ENTERED,
    OBJECT_REACH,
    VERDICT_FORGERY,
    reach_of_call,
)
from assay.guard.tags import Origin
from assay.guard.texts import texts
from assay.guard.trace_paths import PathTrace
from assay.guard.values import Box, Library, Scope, Value

_RUNNERS = ("subprocess.", "os.system", "os.popen", "setuptools.", "distutils.", "os.exec")
_OWN_DESCRIPTORS = ("os.open", "tempfile.", "os.pipe", "os.memfd_create", "fileno", "os.dup")
_BY_ADDRESS = (".from_address", "ctypes.memmove", "ctypes.memset", "ctypes.cast")
_AT_EXIT = ("builtins.print", "json.dump", "json.dumps", "pickle.dump", "torch.save")
_ENDS = frozenset("os._exit os.abort os.kill os.killpg signal.raise_signal".split())
_OUTPUT = re.compile(r"^(sys\.(stdout|__stdout__)(\.buffer)?\.(write|writelines))$")
_VERDICT = re.compile(
    r"""["'](status|correct|correctness|speedup|verdict|compiled|runtime|passed|accepted|score)["']\s*:
    |\b(speedup|correct(ness)?|status)\s*[=:]\s*(\d|true|pass|accepted|ok)""",
    re.IGNORECASE | re.VERBOSE,
)


class WatchTrace(PathTrace):
    """Watches library calls."""

    at_exit = False  # an exit hook is being followed

    @abstractmethod
    def call_back(self, given: Arguments, node: ast.AST, scope: Scope) -> None:
        """Call the functions among the arguments; the call trace knows how."""

    def watch(self, name: str, given: Arguments, node: ast.AST, scope: Scope) -> None:
        """Record what a library call reaches."""
        where = self.place(node, scope)
        reach = override_reach(name, given.all) or reach_of_call(name)
        reopens = name == "os.fdopen" and _is_own(given.get(0))
        if reach is not None and not reopens:
            self.see(reach, name, where)
        if name.endswith(_BY_ADDRESS) and any(_is_identity(value) for value in given.all):
            self.see(OBJECT_REACH, name, where)
        self.watch_files(name, given, where)
        self._watch_output(name, given, where)
        for value in given.all:
            if value.text() == "__main__" and name.startswith(
                ("importlib.", "sys.modules", "builtins.__imp")
            ):
                self.see(MAIN_REACH, "__main__", where)
        if name.startswith(_RUNNERS):
            self._watch_compiler(given)
        self.watch_thread(name, given, where)
        if name.endswith("Mode().__enter__"):
            self.see(MODE_ENTERED, name, where)
        if name == "atexit.register":
            self._follow_exit_hook(given, node, scope)

    @abstractmethod
    def watch_thread(self, name: str, given: Arguments, where: str) -> None:
        """Record threads that start and calls that wait; the thread trace knows them."""

    def _watch_output(self, name: str, given: Arguments, where: str) -> None:
        """Descriptors, standard output and the end of the process."""
        raw = name == "os.write" and not _is_own(given.get(0))
        if raw:
            self.see(FORGED_WRITE, name, where)
        if self.at_exit and (name in _ENDS or raw or _OUTPUT.match(name)):
            self.see(EXIT_FORGERY, name, where)
        if raw or _OUTPUT.match(name) or (name in _AT_EXIT and self.at_exit):
            written = [text for value in given.all for text in (*texts(value), *_keys(value))]
            if any(_VERDICT.search(text) for text in written):
                self.see(VERDICT_FORGERY, name.removeprefix("builtins."), where)

    def _follow_exit_hook(self, given: Arguments, node: ast.AST, scope: Scope) -> None:
        before, self.at_exit = self.at_exit, True
        try:
            self.call_back(given, node, scope)
        finally:
            self.at_exit = before

    def _watch_compiler(self, given: Arguments) -> None:
        known = texts(given.get(0))
        for item in given.get(0).refs:
            if isinstance(item, Box):
                known += [text for value in item.object.items.values() for text in texts(value)]
        if not known or any(is_compiler(text) for text in known):
            self.compiles = True


def _is_identity(value: Value) -> bool:
    return any(tag.origin is Origin.IDENTITY for tag in value.tags)


def _keys(value: Value) -> list[str]:
    """Names under which a container holds things, spelled as they would be written."""
    boxes = [item.object.items for item in value.refs if isinstance(item, Box)]
    return [f'"{key}":' for items in boxes for key in items if isinstance(key, str)]


def _is_own(descriptor: Value) -> bool:
    """True where a descriptor came from a call that opens one."""
    names = [r.name for r in descriptor.refs if isinstance(r, Library)]
    names += [getattr(r, "name", "") for r in descriptor.refs if not isinstance(r, Library)]
    names = [
        name for name in names if not name.startswith("sys.")
    ]  # standard output is not its own
    return any(part in name for name in names for part in _OWN_DESCRIPTORS)
