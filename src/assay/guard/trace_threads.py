"""Threads in the abstract run: what is started, what it touches, and whether anything waits.

The rule: a candidate that waits for threads anywhere is given the benefit of the doubt here; the
wall counts what is alive after a call.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from assay.guard.arguments import Arguments
from assay.guard.reach import THREAD_LEFT, THREAD_REACH
from assay.guard.trace import Phase
from assay.guard.trace_watch import WatchTrace
from assay.guard.values import Function

_STARTS = (
    "Thread().start",
    "Timer().start",
    "_thread.start_new_thread",
    "Executor().submit",
    "Process().start",
    "Pool().apply_async",
    "Pool().map_async",
)
_WAITS = frozenset(
    """result shutdown wait as_completed task_done acquire synchronize terminate get_nowait
    exception done""".split()
)
_CONCURRENT = ("threading.", "concurrent.", "multiprocessing.", "queue.", "_thread.", "asyncio.")


@dataclass(frozen=True, slots=True)
class ThreadSeen:
    """A thread that is started."""

    name: str
    where: str
    works: bool  # started by forward, or it writes what outlives a call


class ThreadTrace(WatchTrace):
    """Watches threads."""

    thread_writes = False  # a function given to a thread writes what outlives a call

    def __init__(self) -> None:
        super().__init__()
        self.threads: dict[str, ThreadSeen] = {}

    def watch_thread(self, name: str, given: Arguments, where: str) -> None:
        """Record threads that start and calls that wait."""
        if name.endswith(("Thread", "Timer", "Process")):
            nodes = [r.node for v in given.all for r in v.refs if isinstance(r, Function)]
            self.thread_writes = self.thread_writes or any(_writes_state(n) for n in nodes)
        if name.endswith(_STARTS):
            works = self.phase is Phase.FORWARD or self.thread_writes
            self.threads.setdefault(where, ThreadSeen(name, where, works))
        if name.startswith(_CONCURRENT) and name.rpartition(".")[2] in (*_WAITS, "join", "get"):
            self.waits = True

    def report_threads(self, trees: list[ast.Module]) -> None:
        """Threads that were started while nothing in the source waits for one."""
        if self.waits or not self.threads or any(_waits(tree) for tree in trees):
            return
        for seen in self.threads.values():
            reach = THREAD_LEFT if seen.works else THREAD_REACH
            self.see(reach, seen.name.replace("()", ""), seen.where)


def _writes_state(node: ast.AST) -> bool:
    """True where a function assigns to an attribute, an item or a global name."""
    for child in ast.walk(node):
        if isinstance(child, ast.Global | ast.Nonlocal):
            return True
        if isinstance(child, ast.Assign | ast.AugAssign):
            targets = child.targets if isinstance(child, ast.Assign) else [child.target]
            if any(isinstance(target, ast.Attribute | ast.Subscript) for target in targets):
                return True
    return False


def _waits(tree: ast.Module) -> bool:
    """True where some call waits: `t.join()` (text is joined with an argument), `f.result()`."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute):
            if node.func.attr == "join" and not node.args:
                return True
            if node.func.attr == "join" and isinstance(node.args[0], ast.Constant):
                return not isinstance(node.args[0].value, str)
            if node.func.attr in _WAITS:
                return True
        if isinstance(node, ast.Name) and node.id in ("as_completed", "wait"):
            return True
    return False
