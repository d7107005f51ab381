"""Effects: what a library call reaches beyond the candidate's own module.

The rule: every library call passes `watch` once, whatever it is, and nothing here changes a value.
Paths are followed as text, known whole or in part. A candidate that waits for threads anywhere is
given the benefit of the doubt: the sandbox counts what is alive after a call.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable

from assay.data.evidence import EvidenceKind, Severity
from assay.source_analysis.interpreter.abstract_interpreter import Interpreter
from assay.source_analysis.interpreter.dataflow import call_back, tags_of
from assay.source_analysis.interpreter.interpreter_state import ThreadSeen
from assay.source_analysis.interpreter.tags import Origin
from assay.source_analysis.interpreter.texts import texts
from assay.source_analysis.interpreter.values import Box, CallSite, FunctionValue, Library, Value
from assay.source_analysis.tables.known_paths import PathMeaning, meaning_of_read, meaning_of_write
from assay.source_analysis.tables.python_kernels import is_compiler
from assay.source_analysis.tables.reach import (
    EXIT_FORGERY,
    FORGED_WRITE,
    MAIN_REACH,
    MODE_ENTERED,
    OBJECT_REACH,
    THREAD_LEFT,
    THREAD_REACH,
    VERDICT_FORGERY,
    Reach,
    override_reach,
    reach_of_call,
)

_RUNNERS = ("subprocess.", "os.system", "os.popen", "setuptools.", "distutils.", "os.exec")
_IMPORTERS = ("importlib.", "sys.modules", "builtins.__imp")
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
_WRITERS = frozenset(
    """os.remove os.unlink os.rename os.replace os.symlink os.link os.mkdir os.makedirs os.truncate
    os.chmod os.rmdir shutil.rmtree shutil.copy shutil.copyfile shutil.copy2 shutil.move
    shutil.copytree torch.save numpy.save""".split()
)
_WRITE_FLAGS = frozenset("O_WRONLY O_RDWR O_CREAT O_TRUNC O_APPEND".split())
_COPIERS = ("shutil.copy", "shutil.copyfile", "shutil.copy2", "shutil.copytree")
_OPENERS = frozenset("builtins.open io.open codecs.open builtins.open_code".split())
_SILENT = ("builtins.print", "logging.", "warnings.", "builtins.len", "builtins.isinstance")
_COMMANDS = ("subprocess.", "os.exec", "os.spawn", "os.posix_spawn")
_STARTS = (
    "Thread().start", "Timer().start", "_thread.start_new_thread", "Executor().submit",
    "Process().start", "Pool().apply_async", "Pool().map_async",
)  # fmt: skip
_WAITS = frozenset(
    """result shutdown wait as_completed task_done acquire synchronize terminate get_nowait
    exception done""".split()
)
_CONCURRENT = ("threading.", "concurrent.", "multiprocessing.", "queue.", "_thread.", "asyncio.")


def watch(run: Interpreter, name: str, call: CallSite) -> None:
    """Record what a library call reaches."""
    reach = override_reach(name, call.first_literal) or reach_of_call(name)
    reopens = name == "os.fdopen" and _is_own_descriptor(call.get(0))
    if reach is not None and not reopens:
        run.see(reach, name, call.where)
    origins = {tag.origin for tag in tags_of(call.all)} if name.endswith(_BY_ADDRESS) else set()
    if Origin.IDENTITY in origins:
        run.see(OBJECT_REACH, name, call.where)
    _watch_files(run, name, call)
    _watch_output(run, name, call)
    if name.startswith(_IMPORTERS) and any(value.text() == "__main__" for value in call.all):
        run.see(MAIN_REACH, "__main__", call.where)
    if name.startswith(_RUNNERS):
        _watch_compiler(run, call.get(0))
    _watch_thread(run, name, call)
    if name.endswith("Mode().__enter__"):
        run.see(MODE_ENTERED, name, call.where)
    if name == "atexit.register":
        before, run.flow.at_exit = run.flow.at_exit, True
        try:
            call_back(run, call)
        finally:
            run.flow.at_exit = before


def _watch_output(run: Interpreter, name: str, call: CallSite) -> None:
    """Descriptors, standard output and the end of the process."""
    at_exit = run.flow.at_exit
    raw = name == "os.write" and not _is_own_descriptor(call.get(0))
    if raw:
        run.see(FORGED_WRITE, name, call.where)
    if at_exit and (name in _ENDS or raw or _OUTPUT.match(name)):
        run.see(EXIT_FORGERY, name, call.where)
    if raw or _OUTPUT.match(name) or (name in _AT_EXIT and at_exit):
        keys = [key for item in call.refs(Box) for key in item.items if isinstance(key, str)]
        written = [text for value in call.all for text in texts(value)]
        written += [f'"{key}":' for key in keys]
        if any(_VERDICT.search(text) for text in written):
            run.see(VERDICT_FORGERY, name.removeprefix("builtins."), call.where)


def _is_own_descriptor(descriptor: Value) -> bool:
    """True where a descriptor came from a call that opens one; standard output is not its own."""
    names = [getattr(item, "name", "") for item in descriptor.refs]
    own = [name for name in names if not name.startswith("sys.")]
    return any(part in name for name in own for part in _OWN_DESCRIPTORS)


def _watch_compiler(run: Interpreter, command: Value) -> None:
    """A command that is not known may be a compiler's."""
    words = [value for item in command.of(Box) for value in item.items.values()]
    known = [text for value in (command, *words) for text in texts(value)]
    if not known or any(is_compiler(text) for text in known):
        run.seen.compiles = True


def _watch_files(run: Interpreter, name: str, call: CallSite) -> None:
    """Record the places a call touches that are not a kernel's."""
    if name.startswith(_SILENT):
        return
    if _is_write(name, call):
        run.seen.writes_files = run.seen.writes_files or name in _OPENERS
        written = call.all[1:] if name in _COPIERS else call.all[:1]
        for text in (text for value in written for text in texts(value)):
            if meaning_of_write(text) is not PathMeaning.ORDINARY:
                run.see(_WRITES, text, call.where)
    commands = call.refs(Box) if name.startswith(_COMMANDS) else []
    words = [value for item in commands for value in item.items.values()]
    for value in (*call.all, *words):
        for text in texts(value):
            read_place(run, text, call.where)


def read_place(run: Interpreter, path: str, where: str) -> None:
    """Record a place that is read, where that says anything."""
    is_path = path.startswith(("/", "~", "*", ".")) and "\n" not in path[:400]
    meaning = meaning_of_read(path) if is_path else PathMeaning.ORDINARY
    revealing = meaning is not PathMeaning.MACHINE or path.startswith("/proc")
    if meaning in _READS and revealing:
        run.see(_READS[meaning], path, where)


def _is_write(name: str, call: CallSite) -> bool:
    if name in _OPENERS:
        mode = call.get(1, "mode").text() or ""
        return any(letter in mode for letter in "wax+")
    if name == "os.open":
        flags = [item.name.rpartition(".")[2] for item in call.get(1, "flags").of(Library)]
        return any(flag in _WRITE_FLAGS for flag in flags)
    return name in _WRITERS


def _watch_thread(run: Interpreter, name: str, call: CallSite) -> None:
    """Record threads that start and calls that wait."""
    seen = run.seen
    if name.endswith(("Thread", "Timer", "Process")):
        writes = any(_writes_state(function.node) for function in call.refs(FunctionValue))
        seen.thread_writes = seen.thread_writes or writes
    if name.endswith(_STARTS):
        works = run.in_forward or seen.thread_writes
        seen.threads.setdefault(call.where, ThreadSeen(name, call.where, works))
    if name.startswith(_CONCURRENT) and name.rpartition(".")[2] in (*_WAITS, "join", "get"):
        seen.waits = True


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


def report_threads(run: Interpreter, trees: Iterable[ast.Module]) -> None:
    """Threads that were started while nothing in the source waits for one."""
    seen = run.seen
    if seen.waits or not seen.threads or any(_waits(tree) for tree in trees):
        return
    for thread in seen.threads.values():
        reach = THREAD_LEFT if thread.works else THREAD_REACH
        run.see(reach, thread.name.replace("()", ""), thread.where)


def _waits(tree: ast.Module) -> bool:
    """True where some call waits: `t.join()` (text is joined with an argument), `f.result()`."""
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=ast.Attribute(attr="join"), args=[]):
                return True
            case ast.Call(func=ast.Attribute(attr="join"), args=[ast.Constant(value), *_]):
                return not isinstance(value, str)
            case ast.Call(func=ast.Attribute(attr=name)) if name in _WAITS:
                return True
            case ast.Name(id="as_completed" | "wait"):
                return True
    return False
