"""What native code reaches beyond its own work, by its tokens.

The rule: only calls and strings that a reached function holds; a name that a kernel may innocently
define itself (`connect`, `kill`) counts only where it is called free, not as a member.
"""

from __future__ import annotations

from dataclasses import dataclass

from assay.data.evidence import EvidenceKind, Severity
from assay.source_analysis.cpp.cpp_tokens import Token
from assay.source_analysis.tables.known_paths import PathMeaning, meaning_of_read
from assay.source_analysis.tables.native_symbols import computed_by_symbol
from assay.source_analysis.tables.reach import Reach

_CONVICTS, _SUSPICIOUS = Severity.CONVICTS, Severity.SUSPICIOUS
_REACHED, _PATCHED = EvidenceKind.REACHED_OUT, EvidenceKind.PATCHED_STATE
_SECRET = Reach(_REACHED, _CONVICTS, _CONVICTS, "holds secrets or the memory of a process")
_ODD = Reach(_REACHED, _SUSPICIOUS, _SUSPICIOUS, "tells of processes")
_DETACHED = Reach(
    EvidenceKind.UNFINISHED_WORK,
    _SUSPICIOUS,
    _SUSPICIOUS,
    "lets a native thread go on after the call: nothing in the function waits for it",
)
_OVERRIDE = Reach(_PATCHED, _CONVICTS, _CONVICTS, "replaces operators of the library")
_CALLS = {
    **dict.fromkeys(
        "ptrace process_vm_readv process_vm_writev pidfd_getfd pidfd_open".split(),
        Reach(_REACHED, _CONVICTS, _CONVICTS, "reaches into another process"),
    ),
    **dict.fromkeys(
        "fork vfork daemon clone clone3 posix_spawn posix_spawnp".split(),
        Reach(_REACHED, _CONVICTS, _SUSPICIOUS, "forks its process"),
    ),
    **dict.fromkeys(
        "_exit _Exit quick_exit abort_handler".split(),
        Reach(EvidenceKind.FORGERY, _CONVICTS, _SUSPICIOUS, "ends the process itself"),
    ),
    **dict.fromkeys(
        "sigaction setitimer timer_create on_exit".split(),
        Reach(_PATCHED, _SUSPICIOUS, _SUSPICIOUS, "installs a signal handler, timer or exit hook"),
    ),
    **dict.fromkeys(
        "PyEval_GetFrame PyEval_SetTrace PyEval_SetProfile PyThreadState_GetFrame PyFrame_GetBack "
        "PyFrame_GetLocals PyEval_GetLocals PyEval_GetGlobals PyUnstable_GC_VisitObjects "
        "PyInterpreterState_Head".split(),
        Reach(_REACHED, _CONVICTS, _CONVICTS, "reaches into the interpreter's own structures"),
    ),
    **dict.fromkeys(
        "Py_CompileString Py_CompileStringFlags Py_CompileStringExFlags PyEval_EvalCode "
        "PyRun_String PyRun_SimpleString PyRun_StringFlags PyRun_SimpleStringFlags".split(),
        Reach(_REACHED, _SUSPICIOUS, _SUSPICIOUS, "runs Python text from native code"),
    ),
}


@dataclass(frozen=True, slots=True)
class CppReach:
    """One thing that a native function reaches."""

    reach: Reach
    name: str
    line: int


def cpp_reaches(body: list[Token]) -> tuple[CppReach, ...]:
    """Everything a function body reaches beyond its own work."""
    found: list[CppReach] = []
    words = {token.text for token in body}
    waits = words & {"join", "wait", "get", "pthread_join", "arrive_and_wait"}
    for position, token in enumerate(body[:-1]):
        before = body[position - 1].text if position else ""
        called = body[position + 1].text == "(" and before not in (".", "->")
        if token.kind == "string":
            found += _of_path(token)
        elif called and token.text in _CALLS and _is_meant(token.text, words):
            found.append(CppReach(_CALLS[token.text], token.text, token.line))
        elif token.text in ("detach", "pthread_detach") and not waits and _has_thread(words):
            found.append(CppReach(_DETACHED, token.text, token.line))
    return tuple(found)


def _is_meant(name: str, words: set[str]) -> bool:
    """`at::clone` copies a tensor; the system call takes flags of its own."""
    return name != "clone" or any(word.startswith("CLONE_") for word in words)


def _has_thread(words: set[str]) -> bool:
    return bool(words & {"thread", "jthread", "pthread_create", "pthread_t", "workers", "worker"})


def _of_path(token: Token) -> list[CppReach]:
    text = token.text.strip('"')
    if not text.startswith(("/proc", "/etc/", "/home", "/root", "~")):
        return []
    meaning = meaning_of_read(text.replace("%d", "*").replace("%ld", "*"))
    reach = {PathMeaning.SECRET: _SECRET, PathMeaning.ODD: _ODD}.get(meaning)
    return [CppReach(reach, text, token.line)] if reach is not None else []


def operator_override(tokens: list[Token]) -> CppReach | None:
    """`TORCH_LIBRARY_IMPL(aten, CPU, m)`: an operator of the library is replaced."""
    for position, token in enumerate(tokens[:-2]):
        library = token.text in ("TORCH_LIBRARY_IMPL", "TORCH_LIBRARY")
        if library and tokens[position + 2].text in ("aten", "prims", "_"):
            return CppReach(_OVERRIDE, token.text, token.line)
    return None


_PACKAGES = frozenset("torch numpy scipy cupy jax".split())


def _is_import(body: list[Token], position: int) -> bool:
    """True where the string is what a Python import in C++ is given."""
    if position < 2 or body[position - 1].text != "(":
        return False
    return body[position - 2].text in ("import", "PyImport_ImportModule", "PyImport_Import")


def looked_up(body: list[Token]) -> list[tuple[str, Token]]:
    """Library computations named by a string, as `dlsym` is given them; pieces are joined."""
    found: list[tuple[str, Token]] = []
    text = ""
    for position, token in enumerate(body):
        text = text + token.text.strip('"') if token.kind == "string" else ""
        last = position + 1 == len(body) or body[position + 1].kind != "string"
        symbol = computed_by_symbol(text) if text and last else ""
        if text and last and _is_import(body, position) and text.split(".")[0] in _PACKAGES:
            symbol = f'import("{text}")'
        if symbol:
            found.append((symbol, token))
    return found
