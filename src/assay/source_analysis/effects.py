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
from assay.guard.paths import PathMeaning, meaning_of_read, meaning_of_write
from assay.guard.python_kernels import is_compiler
from assay.guard.reach import (
    EXIT_FORGERY,
    FORGED_WRITE,
    MAIN_REACH,
    MODE_ENTERED,
    OBJECT_REACH,
    SETTING_REACH,
    THREAD_LEFT,
    THREAD_REACH,
    VERDICT_FORGERY,
    Reach,
    reach_of_call,
)
from assay.guard.tags import Origin
from assay.source_analysis.dataflow import call_back
from assay.source_analysis.interpreter import Interpreter, ThreadSeen
from assay.source_analysis.texts import texts
from assay.source_analysis.values import Box, Call, Function, Library, Value

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


def watch(run: Interpreter, name: str, call: Call) -> None:
    """Record what a library call reaches."""
    reach = override_reach(name, call.all) or reach_of_call(name)
    reopens = name == "os.fdopen" and _is_own_descriptor(call.get(0))
    if reach is not None and not reopens:
        run.see(reach, name, call.where)
    if name.endswith(_BY_ADDRESS) and any(_is_identity(value) for value in call.all):
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
        _follow_exit_hook(run, call)


def _is_identity(value: Value) -> bool:
    return any(tag.origin is Origin.IDENTITY for tag in value.tags)


def _watch_output(run: Interpreter, name: str, call: Call) -> None:
    """Descriptors, standard output and the end of the process."""
    at_exit = run.flow.at_exit
    raw = name == "os.write" and not _is_own_descriptor(call.get(0))
    if raw:
        run.see(FORGED_WRITE, name, call.where)
    if at_exit and (name in _ENDS or raw or _OUTPUT.match(name)):
        run.see(EXIT_FORGERY, name, call.where)
    if raw or _OUTPUT.match(name) or (name in _AT_EXIT and at_exit):
        written = [text for value in call.all for text in (*texts(value), *_keys(value))]
        if any(_VERDICT.search(text) for text in written):
            run.see(VERDICT_FORGERY, name.removeprefix("builtins."), call.where)


def _keys(value: Value) -> list[str]:
    """Names under which a container holds things, spelled as they would be written."""
    keys = [key for item in value.of(Box) for key in item.items]
    return [f'"{key}":' for key in keys if isinstance(key, str)]


def _is_own_descriptor(descriptor: Value) -> bool:
    """True where a descriptor came from a call that opens one; standard output is not its own."""
    names = [getattr(item, "name", "") for item in descriptor.refs]
    own = [name for name in names if not name.startswith("sys.")]
    return any(part in name for name in own for part in _OWN_DESCRIPTORS)


def _follow_exit_hook(run: Interpreter, call: Call) -> None:
    before, run.flow.at_exit = run.flow.at_exit, True
    try:
        call_back(run, call)
    finally:
        run.flow.at_exit = before


def _watch_compiler(run: Interpreter, command: Value) -> None:
    """A command that is not known may be a compiler's."""
    words = [value for item in command.of(Box) for value in item.items.values()]
    known = [text for value in (command, *words) for text in texts(value)]
    if not known or any(is_compiler(text) for text in known):
        run.seen.compiles = True


def _watch_files(run: Interpreter, name: str, call: Call) -> None:
    """Record the places a call touches that are not a kernel's."""
    if name.startswith(_SILENT):
        return
    if _is_write(name, call):
        run.seen.writes_files = run.seen.writes_files or name in _OPENERS
        written = call.all[1:] if name in _COPIERS else call.all[:1]
        for text in (text for value in written for text in texts(value)):
            if meaning_of_write(text) is not PathMeaning.ORDINARY:
                run.see(_WRITES, text, call.where)
    for value in _with_words(name, call):
        for text in texts(value):
            read_place(run, text, call.where)


def _with_words(name: str, call: Call) -> list[Value]:
    """Arguments, and the words of a command line."""
    boxes = call.refs(Box) if name.startswith(_COMMANDS) else []
    return [*call.all, *(value for item in boxes for value in item.items.values())]


def read_place(run: Interpreter, path: str, where: str) -> None:
    """Record a place that is read, where that says anything."""
    is_path = path.startswith(("/", "~", "*", ".")) and "\n" not in path[:400]
    meaning = meaning_of_read(path) if is_path else PathMeaning.ORDINARY
    telling = meaning is not PathMeaning.MACHINE or path.startswith("/proc")
    if meaning in _READS and telling:
        run.see(_READS[meaning], path, where)


def _is_write(name: str, call: Call) -> bool:
    if name in _OPENERS:
        mode = call.get(1, "mode").text() or ""
        return any(letter in mode for letter in "wax+")
    if name == "os.open":
        flags = [item.name.rpartition(".")[2] for item in call.get(1, "flags").of(Library)]
        return any(flag in _WRITE_FLAGS for flag in flags)
    return name in _WRITERS


def _watch_thread(run: Interpreter, name: str, call: Call) -> None:
    """Record threads that start and calls that wait."""
    seen = run.seen
    if name.endswith(("Thread", "Timer", "Process")):
        writes = any(_writes_state(function.node) for function in call.refs(Function))
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


_CONVICTS = Severity.CONVICTS
_PATCHED = EvidenceKind.PATCHED_STATE
_LIBRARY_NAMESPACES = frozenset(
    "aten prims prim quantized mkldnn torchvision _c10d_functional inductor torch _C onednn".split()
)
_REGISTRATIONS = frozenset(
    """torch.library.impl torch.library.register_kernel torch.library.register_autograd
    torch.library.impl_abstract torch.library.Library torch._C._dispatch_library
    torch.library.register_torch_dispatch torch.library.register_vmap
    torch.library.register_autocast torch.library._scoped_library""".split()
)
_HOOK_LISTS = ("sys.meta_path", "sys.path_hooks", "gc.callbacks", "sys.path_importer_cache")
_GROWS = frozenset(
    """insert append extend appendleft update setdefault __setitem__ pop clear remove __iadd__
    __delitem__ popitem reverse sort""".split()
)
_OVERRIDE = Reach(_PATCHED, _CONVICTS, _CONVICTS, "replaces an operator of the library")
_HOOK = Reach(_PATCHED, _CONVICTS, _CONVICTS, "hooks the interpreter for everyone")
_OFF = Reach(_PATCHED, _CONVICTS, _CONVICTS, "switches a backend of the library off for everyone")
_SLOW = Reach(_PATCHED, _CONVICTS, _CONVICTS, "slows every library call down")
_META = Reach(_PATCHED, _CONVICTS, _CONVICTS, "makes everyone's tensors hold nothing")
OWNED_BY_OTHERS = Reach(_PATCHED, _CONVICTS, _CONVICTS, "writes into a namespace it does not own")
_SWITCHES = re.compile(
    r"^torch\.backends\.[\w.]*set_flags$|^torch\._C\._set_(mkldnn|cudnn|nnpack|onednn)_enabled$"
    r"|^torch\.backends\.(mkldnn|cudnn|nnpack|onednn)\.enabled\.__set__$"
)


def override_reach(name: str, values: list[Value]) -> Reach | None:
    """What such a call means, by its dotted name and its arguments in order."""
    owner, _, base = name.rpartition(".")
    if name in _REGISTRATIONS or base in ("py_impl", "py_functionalize_impl"):
        return _OVERRIDE if _names_library(name, values) else None
    if owner in _HOOK_LISTS and base in _GROWS:
        return _HOOK
    if owner.endswith(".__dict__") and base in _GROWS:
        return OWNED_BY_OTHERS
    if _SWITCHES.match(name):
        return _OFF if _first(values) is False else SETTING_REACH
    if name == "torch.autograd.set_detect_anomaly":
        return _SLOW if _first(values) is not False else None
    if name in ("torch.set_default_device", "torch.set_default_tensor_type"):
        return _META if _first(values) == "meta" else None
    return None


def item_reach(name: str) -> Reach | None:
    """What storing an item into a library's list or namespace means."""
    return _HOOK if name in _HOOK_LISTS else OWNED_BY_OTHERS if name == "builtins" else None


def assignment_switches_off(name: str, value: Value) -> Reach | None:
    """`torch.backends.mkldnn.enabled = False`."""
    constant = value.constant()
    off = constant is not None and constant.value is False
    switch = name.startswith("torch.backends.") and name.endswith("enabled")
    return _OFF if off and switch else None


def _names_library(name: str, values: list[Value]) -> bool:
    if name.startswith("torch.ops."):
        return name.split(".")[2] in _LIBRARY_NAMESPACES
    text = values[0].text() if values else None
    return text is not None and text.split("::")[0] in _LIBRARY_NAMESPACES


def _first(values: list[Value]) -> object:
    constant = values[0].constant() if values else None
    return constant.value if constant is not None else None
