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
    "unittest.mock.patch unittest.mock.patch.object forbiddenfruit.curse",
    Reach(_PATCHED, _CONVICTS, _CONVICTS, "patches objects it does not own"),
)
_calls(
    "torch.overrides.push_mode torch._C._set_torch_function_mode "
    "torch._C._push_on_torch_function_stack torch._C._push_on_torch_dispatch_stack "
    "torch.utils._python_dispatch._push_mode torch._C._set_dispatch_mode "
    "torch.utils._python_dispatch._disable_current_modes torch._C._DisableTorchDispatch "
    "torch._C._pop_torch_function_stack torch._C._unset_dispatch_mode "
    "torch.utils._python_dispatch._pop_mode torch._C._pop_torch_dispatch_stack",
    Reach(_PATCHED, _CONVICTS, _SUSPICIOUS, "changes the modes that see every operation"),
)
_calls(
    "torch.save torch.load numpy.save numpy.load pickle.dump pickle.load pickle.dumps shelve.open "
    "sqlite3.connect mmap.mmap multiprocessing.shared_memory.SharedMemory joblib.dump joblib.load",
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
PATCH_REACH = Reach(_PATCHED, _CONVICTS, _CONVICTS, "replaces an attribute it does not own")
MAIN_REACH = Reach(_REACHED, _CONVICTS, _SUSPICIOUS, "reads the program that runs it")
MODE_REACH = Reach(_PATCHED, _CONVICTS, _SUSPICIOUS, "enters a mode that rewrites torch operations")
SETTING_REACH = Reach(_PATCHED, _NOTE, _NOTE, "changes a process-wide setting")
THREAD_REACH = Reach(
    EvidenceKind.UNFINISHED_WORK, _NOTE, _NOTE, "starts a thread that nothing visible joins"
)
SUBCLASS_REACH = Reach(
    EvidenceKind.LYING_TENSOR, _CONVICTS, _SUSPICIOUS, "makes a tensor whose class answers for it"
)
_PROC_REACH = Reach(_REACHED, _CONVICTS, _CONVICTS, "reads process memory or secrets under /proc")
_PROC_NOTE = Reach(_REACHED, _NOTE, _NOTE, "reads machine facts under /proc")
_PROC_ODD = Reach(_REACHED, _SUSPICIOUS, _SUSPICIOUS, "reads process facts under /proc")
_PYTHONAPI = Reach(_REACHED, _CONVICTS, _CONVICTS, "reaches into the interpreter's own structures")
_INTERNALS = re.compile(r"Frame|Trace|Profile|Interpreter|PyGC|ThreadState|PyDict|PyObject_GC|Eval")
_SETTINGS = re.compile(
    r"^torch\.backends\.|^torch\._(inductor|dynamo)\.config|^triton\.(knobs|runtime)|^numba\.config"
    r"|^os\.environ|^torch\.cuda\.|^warnings\.|^logging\.|^sys\.(path|dont_write_bytecode)"
    r"|^ctypes\.|^torch\.utils\.cpp_extension\.|^matplotlib|^jax\.config"
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


def reach_of_path(path: str) -> Reach | None:
    """What opening a constant path means, where it means anything."""
    if not path.startswith("/proc"):
        return None
    if re.match(r"/proc/(cpuinfo|meminfo|stat|version|sys/|loadavg|driver/|filesystems)", path):
        return _PROC_NOTE
    if re.search(r"/(mem|environ|fd|fdinfo|cmdline|task|root|cwd|exe|pagemap)\b", path):
        return _PROC_REACH
    return _PROC_ODD


def reach_of_assignment(name: str) -> Reach:
    """What assigning to an attribute of a library means."""
    return SETTING_REACH if _SETTINGS.search(name) else PATCH_REACH
