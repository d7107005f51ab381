"""Library names that reach beyond a candidate's own module, and what touching each means.

The rule: a name convicts only where no kernel has an innocent use for it; where one exists the
finding is suspicious or a note, and the sentence says what was done.
"""

from __future__ import annotations

import re
from dataclasses import dataclass

from assay.data.evidence import EvidenceKind, Severity

_CONVICTS, _SUSPICIOUS, _NOTE = Severity.CONVICTS, Severity.SUSPICIOUS, Severity.NOTE
_REACHED, _PATCHED = EvidenceKind.REACHED_OUT, EvidenceKind.PATCHED_STATE


@dataclass(frozen=True, slots=True)
class Reach:
    """What touching a name means: in forward, and at import or construction."""

    kind: EvidenceKind
    forward: Severity
    build: Severity
    text: str

    def severity(self, in_forward: bool) -> Severity:
        """Weight of the finding by when the code runs."""
        return self.forward if in_forward else self.build


_CALLS: dict[str, Reach] = {}


def _calls(names: str, reach: Reach) -> None:
    _CALLS.update(dict.fromkeys(names.split(), reach))


_calls(
    "sys._getframe inspect.stack inspect.trace inspect.getouterframes "
    "traceback.walk_stack traceback.extract_stack traceback.walk_tb sys._current_frames "
    "sys._getframemodulename sys._current_exceptions inspect.getinnerframes",
    Reach(_REACHED, _CONVICTS, _SUSPICIOUS, "walks the interpreter's frames"),
)
_calls(
    "inspect.currentframe",  # also how a file finds its own folder
    Reach(_REACHED, _SUSPICIOUS, _NOTE, "takes hold of a frame"),
)
_calls(
    "gc.get_objects gc.get_referrers gc.get_referents",
    Reach(_REACHED, _CONVICTS, _CONVICTS, "searches other code's objects through the collector"),
)
_calls(
    "sys.settrace sys.setprofile threading.settrace threading.setprofile "
    "sys.monitoring.use_tool_id sys.monitoring.register_callback "
    "threading.settrace_all_threads sys.addaudithook",
    Reach(_REACHED, _CONVICTS, _CONVICTS, "installs a hook that watches other code run"),
)
_calls(
    "socket.socket socket.create_connection socket.socketpair urllib.request.urlopen requests.get "
    "requests.post http.client.HTTPConnection http.client.HTTPSConnection asyncio.open_connection "
    "urllib.request.urlretrieve xmlrpc.client.ServerProxy ftplib.FTP smtplib.SMTP",
    Reach(_REACHED, _CONVICTS, _SUSPICIOUS, "opens a network connection"),
)
_calls(
    "os.fork os.forkpty pty.fork os.posix_spawn",
    Reach(_REACHED, _CONVICTS, _SUSPICIOUS, "forks its process"),
)
_calls(
    "os._exit os.abort os.kill os.killpg signal.raise_signal",
    Reach(EvidenceKind.FORGERY, _CONVICTS, _SUSPICIOUS, "ends or signals a process itself"),
)
_calls(
    "sys.exit builtins.exit builtins.quit",
    Reach(EvidenceKind.FORGERY, _CONVICTS, _NOTE, "ends the process instead of returning"),
)
_calls(
    "os.ptrace os.process_vm_readv os.pidfd_open os.pidfd_getfd os.getppid",
    Reach(_REACHED, _SUSPICIOUS, _SUSPICIOUS, "looks for another process"),
)
_calls(
    "signal.signal signal.setitimer signal.alarm signal.set_wakeup_fd signal.pthread_kill "
    "faulthandler.dump_traceback_later",
    Reach(_PATCHED, _CONVICTS, _SUSPICIOUS, "installs a signal handler or timer"),
)
_calls(
    "torch.nn.modules.module.register_module_forward_hook "
    "torch.nn.modules.module.register_module_forward_pre_hook "
    "torch.nn.modules.module.register_module_full_backward_hook "
    "torch.nn.modules.module.register_module_module_registration_hook",
    Reach(_PATCHED, _CONVICTS, _CONVICTS, "hangs a hook on every module"),
)
_calls(
    "unittest.mock.patch unittest.mock.patch.object unittest.mock.patch.dict forbiddenfruit.curse "
    "unittest.mock.patch.multiple wrapt.wrap_function_wrapper wrapt.patch_function_wrapper "
    "wrapt.resolve_path pytest.MonkeyPatch().setattr gorilla.apply gorilla.patch",
    Reach(_PATCHED, _CONVICTS, _CONVICTS, "patches objects it does not own"),
)
_calls(
    "torch.overrides.push_mode torch._C._set_torch_function_mode "
    "torch._C._push_on_torch_function_stack torch._C._push_on_torch_dispatch_stack "
    "torch.utils._python_dispatch._push_mode torch._C._set_dispatch_mode "
    "torch.utils._python_dispatch._disable_current_modes torch._C._DisableTorchDispatch "
    "torch._C._pop_torch_function_stack torch._C._unset_dispatch_mode "
    "torch.utils._python_dispatch._pop_mode torch._C._pop_torch_dispatch_stack",
    Reach(_PATCHED, _CONVICTS, _CONVICTS, "changes the modes that see every operation"),
)
_calls(
    "torch.save torch.load numpy.save numpy.load pickle.dump pickle.load pickle.dumps shelve.open "
    "sqlite3.connect multiprocessing.shared_memory.SharedMemory joblib.dump joblib.load",
    Reach(EvidenceKind.MEMO, _SUSPICIOUS, _NOTE, "keeps or fetches data outside its call"),
)
_calls(
    "torch.set_num_threads torch.set_num_interop_threads torch.set_default_dtype gc.disable "
    "torch.set_default_device torch.set_float32_matmul_precision os.sched_setaffinity os.nice "
    "gc.freeze sys.setswitchinterval torch.manual_seed torch.random.manual_seed random.seed "
    "torch.use_deterministic_algorithms torch.set_flush_denormal resource.setrlimit os.putenv "
    "torch.set_grad_enabled",
    Reach(_PATCHED, _NOTE, _NOTE, "changes a process-wide setting"),
)
_calls("atexit.register", Reach(_PATCHED, _SUSPICIOUS, _NOTE, "leaves work for the exit"))
_calls(
    "sys.modules.values sys.modules.items sys.modules.copy",
    Reach(_REACHED, _CONVICTS, _SUSPICIOUS, "searches every loaded module"),
)
_calls(
    "multiprocessing.Process().start concurrent.futures.ProcessPoolExecutor os.spawnv os.execv "
    "os.execve os.execvp multiprocessing.Pool",
    Reach(_REACHED, _SUSPICIOUS, _NOTE, "starts another process"),
)
EXIT_RAISED = Reach(
    EvidenceKind.FORGERY, _SUSPICIOUS, _NOTE, "passes every ordinary handler of exceptions"
)
FINALISER_REACH = Reach(
    EvidenceKind.UNFINISHED_WORK, _SUSPICIOUS, _NOTE, "works on a call's tensors when it dies"
)
FORGED_WRITE = Reach(
    EvidenceKind.FORGERY, _SUSPICIOUS, _SUSPICIOUS, "writes to a descriptor it did not open"
)
_calls(
    "os.dup os.dup2 os.fdopen os.sendfile",
    Reach(EvidenceKind.FORGERY, _SUSPICIOUS, _NOTE, "handles raw descriptors"),
)

FRAME_ATTRIBUTES = frozenset(
    "f_back f_locals f_globals f_builtins tb_frame gi_frame cr_frame".split()
)
FRAME_REACH = Reach(_REACHED, _CONVICTS, _CONVICTS, "reads another function's frame")
PATCH_REACH = Reach(_PATCHED, _CONVICTS, _CONVICTS, "is set by code that does not own it")
MAIN_REACH = Reach(_REACHED, _CONVICTS, _SUSPICIOUS, "reads the program that runs it")
MODE_ENTERED = Reach(
    _PATCHED, _CONVICTS, _CONVICTS, "enters a mode that rewrites torch operations, and stays in it"
)
MODE_REACH = Reach(_PATCHED, _CONVICTS, _SUSPICIOUS, "enters a mode that rewrites torch operations")
SETTING_REACH = Reach(_PATCHED, _NOTE, _NOTE, "changes a process-wide setting")
THREAD_REACH = Reach(
    EvidenceKind.UNFINISHED_WORK, _NOTE, _NOTE, "starts a thread that nothing visible joins"
)
THREAD_LEFT = Reach(
    EvidenceKind.UNFINISHED_WORK,
    _SUSPICIOUS,
    _SUSPICIOUS,
    "goes on working after forward has returned: nothing in the source waits for it",
)
OBJECT_REACH = Reach(
    _PATCHED, _CONVICTS, _CONVICTS, "reaches into an object of the interpreter by its address"
)
CLOCK_REACH = Reach(EvidenceKind.PHASE, _SUSPICIOUS, _NOTE, "decides which result a call returns")
STORAGE_REACH = Reach(
    _REACHED,
    _CONVICTS,
    _NOTE,
    "gives the memory of an argument another size or place",
)
CACHE_REACH = Reach(
    EvidenceKind.MEMO,
    _SUSPICIOUS,
    _NOTE,
    "keeps results by arguments that are tensors of the call",
)
EXIT_FORGERY = Reach(
    EvidenceKind.FORGERY, _CONVICTS, _CONVICTS, "decides how the process ends, in an exit hook"
)
VERDICT_FORGERY = Reach(
    EvidenceKind.FORGERY, _CONVICTS, _CONVICTS, "prints what looks like a verdict of its own"
)
FOREIGN_CODE = Reach(
    _REACHED, _CONVICTS, _CONVICTS, "runs code from files it searched for and did not write"
)
EVALUATOR_IMPORT = Reach(_REACHED, _CONVICTS, _CONVICTS, "belongs to the evaluator")
REFERENCE_IMPORT = Reach(_REACHED, _CONVICTS, _SUSPICIOUS, "is somebody else's reference or task")
TASK_TYPES_IMPORT = Reach(_REACHED, _NOTE, _NOTE, "is a module that some harnesses hand out")
SUBCLASS_REACH = Reach(
    EvidenceKind.LYING_TENSOR, _CONVICTS, _SUSPICIOUS, "makes a tensor whose class answers for it"
)
_PYTHONAPI = Reach(_REACHED, _CONVICTS, _CONVICTS, "reaches into the interpreter's own structures")
_INTERNALS = re.compile(r"Frame|Trace|Profile|Interpreter|PyGC|ThreadState|PyDict|PyObject_GC|Eval")
_SETTINGS = re.compile(
    r"^torch\.backends\.|^torch\._(inductor|dynamo)\.config|^triton\.(knobs|runtime\.driver)"
    r"|^os\.environ|^warnings\.|^logging\.|^sys\.(path|dont_write_bytecode)$|^numba\.config"
    r"|^ctypes\.c_|^torch\.utils\.cpp_extension\.|^matplotlib|^jax\.config"
    r"|^native(_compute)?\."
)
SUBCLASS_MAKERS = frozenset(
    "torch.Tensor._make_wrapper_subclass torch.Tensor._make_subclass torch.Tensor.as_subclass "
    "torch.Tensor.__new__ torch._C._TensorBase._make_subclass".split()
)


def reach_of_call(name: str) -> Reach | None:
    """What calling a dotted name means, where it means anything."""
    if name in SUBCLASS_MAKERS:
        return SUBCLASS_REACH
    if name.startswith("ctypes.pythonapi."):
        return _PYTHONAPI if _INTERNALS.search(name) else None
    return _CALLS.get(name)


def reach_of_assignment(name: str, value: object) -> Reach:
    """What assigning to an attribute of a library means; `value` is what, if constant."""
    switch = name.startswith("torch.backends.") and name.endswith("enabled")
    if switch and value is False:
        return _OFF
    return SETTING_REACH if _SETTINGS.search(name) else PATCH_REACH


# Changes of a library or the interpreter for everyone: an operator of one's own may be registered
# freely, one of a library may not; a backend may be tuned, but no kernel needs it switched off.
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
_OWNED_BY_OTHERS = Reach(_PATCHED, _CONVICTS, _CONVICTS, "writes into a namespace it does not own")
_SWITCHES = re.compile(
    r"^torch\.backends\.[\w.]*set_flags$|^torch\._C\._set_(mkldnn|cudnn|nnpack|onednn)_enabled$"
    r"|^torch\.backends\.(mkldnn|cudnn|nnpack|onednn)\.enabled\.__set__$"
)


def override_reach(name: str, first: object) -> Reach | None:
    """What a call that changes a library means, by its name and its first argument if constant."""
    owner, _, base = name.rpartition(".")
    if name in _REGISTRATIONS or base in ("py_impl", "py_functionalize_impl"):
        return _OVERRIDE if _names_library(name, first) else None
    if owner in _HOOK_LISTS and base in _GROWS:
        return _HOOK
    if owner.endswith(".__dict__") and base in _GROWS:
        return _OWNED_BY_OTHERS
    if _SWITCHES.match(name):
        return _OFF if first is False else SETTING_REACH
    if name == "torch.autograd.set_detect_anomaly":
        return _SLOW if first is not False else None
    if name in ("torch.set_default_device", "torch.set_default_tensor_type"):
        return _META if first == "meta" else None
    return None


def _names_library(name: str, first: object) -> bool:
    if name.startswith("torch.ops."):
        return name.split(".")[2] in _LIBRARY_NAMESPACES
    return isinstance(first, str) and first.split("::")[0] in _LIBRARY_NAMESPACES


def item_reach(name: str) -> Reach | None:
    """What storing an item into a library's list or namespace means."""
    return _HOOK if name in _HOOK_LISTS else _OWNED_BY_OTHERS if name == "builtins" else None


# Modules that are not a candidate's to import: the evaluator's own, and anyone's reference. The
# evaluator's package convicts; a name under which harnesses keep references and tasks counts only
# where the candidate has no file of that name itself.
_EVALUATORS = frozenset("assay kernelbench kernelbot sol_execbench flashinfer_bench".split())
_REFERENCES = frozenset(
    """reference references ref ref_model model_ref reference_model reference_impl ground_truth
    golden oracle problem problems expected solution_ref torch_reference baseline judge grader
    evaluator checker eval_harness verify_kernel conftest""".split()
)
_HANDED_OUT = frozenset("task tasks utils".split())


def foreign_module(name: str, by_call: bool) -> Reach | None:
    """What importing a module means, where it is no file of the candidate's."""
    parts = name.lstrip(".").split(".")
    if parts[0] in _EVALUATORS:
        return EVALUATOR_IMPORT
    if parts[0] in _REFERENCES:
        return REFERENCE_IMPORT
    if parts[0] in _HANDED_OUT:
        looked_up = by_call and parts[0] != "utils"
        return REFERENCE_IMPORT if looked_up else TASK_TYPES_IMPORT
    return None
