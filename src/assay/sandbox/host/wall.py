"""Wall: the warm parent and the rules by which sandboxes are raised from it."""

from __future__ import annotations

import contextlib
import itertools
import os
import secrets
import shutil
import site
import sys
import tempfile
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

import assay
from assay.devices.device_adapter import DeviceBackend
from assay.devices.device_company import DeviceCompany
from assay.devices.device_registry import backend
from assay.devices.driver import Driver
from assay.devices.idle_probe import IdleProbe
from assay.devices.judge_presence import JudgePresence
from assay.devices.judges_lock import JudgesLock, judges_lock
from assay.devices.lease import device_key
from assay.errors import HostError, UsageError
from assay.languages.language_registry import (
    LANGUAGES,
    adapter_modules,
    child_environment,
    child_modules,
    tool_packages,
)
from assay.plugins import outside_packages
from assay.sandbox.host.control_group import ControlGroup, GroupLimits
from assay.sandbox.host.package_view import PACKAGE_FOLDERS, PackageView, package_view
from assay.sandbox.host.process_tree import GroupTree, ProcessTree, SignalTree
from assay.sandbox.host.sandboxed_process import Caps, SandboxedProcess
from assay.sandbox.host.zygote_handle import ZygoteHandle
from assay.sandbox.layers.spec import Isolation, SandboxSpec
from assay.sandbox.protocol.runner_memory import RunnerMemory
from assay.sandbox.protocol.spawn_messages import Warm

if TYPE_CHECKING:  # torch is imported while the warm parent starts, not before
    from assay.sandbox.host.shared_memory import MakeArena

_SYSTEM_PATHS = (
    "/usr",
    "/bin",
    "/sbin",
    "/lib",
    "/lib32",
    "/lib64",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/alternatives",
    "/etc/localtime",
)
MOUNTED_SCRATCH = "/scratch"
_THREAD_SETTINGS = ("OMP_NUM_THREADS", "NUMBA_NUM_THREADS")  # what thread libraries read
_USERS = ("user", "root", "ubuntu", "admin", "runner", "dev", "maria", "jan")
_LANGUAGES = ("C.UTF-8", "en_US.UTF-8", "en_GB.UTF-8")
_FORCE = "ASSAY_ISOLATION"  # namespaces | landlock | none: to see what a lesser machine would do


def usable_threads() -> int:
    """As many as this process may use, or as OMP_NUM_THREADS says."""
    asked = os.environ.get("OMP_NUM_THREADS", "")
    found = len(os.sched_getaffinity(0))
    return min(found, int(asked)) if asked.isdigit() and int(asked) else found


@dataclass(frozen=True)
class SandboxLimits:
    """Sizes of everything a sandbox may use up."""

    memory_bytes: int = 8 << 30
    scratch_bytes: int = 2 << 30
    processes: int = 48
    tasks: int = 1024
    threads: int = field(default_factory=usable_threads)


@dataclass(frozen=True)
class SandboxExtras:
    """What the sandboxes of one wall hold beyond what all do."""

    modules: tuple[str, ...] = ()  # imported in the warm parent
    readable: tuple[str, ...] = ()  # folders of compilers that stand in no common place
    environment: tuple[tuple[str, str], ...] = ()  # over the neutral one
    packages: tuple[str, ...] = ()  # shown beside those of the modules


class Wall:
    """Raises sandboxes, for any number of threads; closing it leaves nothing behind."""

    def __init__(
        self,
        modules: tuple[str, ...] | SandboxExtras = (),
        sandbox_limits: SandboxLimits | None = None,
        expected: int = 1,
        device: str = "cpu",
        tf32: bool = False,
    ) -> None:
        self.sandbox_limits = sandbox_limits or SandboxLimits()
        self.device = backend(device)
        self.tf32 = tf32
        self._held = modules if isinstance(modules, SandboxExtras) else SandboxExtras(modules)
        self._expected = expected  # sandboxes still to be asked for, as far as is known
        self._standby: Future[SandboxedProcess] | None = None
        self._turn = threading.Lock()  # of who takes what stands by
        self._builder = ThreadPoolExecutor(max_workers=1)
        self._counter = itertools.count()
        self._name = f"assay-{os.getpid()}-{secrets.token_hex(4)}"
        self._open: list[SandboxedProcess] = []
        self._presence: JudgePresence | None = None
        ours = (*child_modules(), *self.device.accelerator.split(":")[:-1])
        self.packages = self._package_view(ours)
        warm = Warm(
            (*self._held.modules, *ours),
            tuple(self._environment(MOUNTED_SCRATCH).items()),
            (self.packages.folders, self.packages.shown),
            adapter_modules(),
        )
        self._zygote = ZygoteHandle(warm)

    @property
    def isolation(self) -> Isolation:
        """The road this machine offers, or a lesser one the user forces to try it."""
        return chosen_isolation(self._zygote.hello().isolation)

    @cached_property
    def driver(self) -> Driver:
        """The host's own hold on the device. The warm parent must have started before."""
        return self.device.driver()

    @cached_property
    def idle_probe(self) -> IdleProbe | None:
        """The device at rest; felt first before any candidate is there."""
        if not self.device.accelerated:
            return None
        return IdleProbe(self.driver, company=self.company)

    @cached_property
    def company(self) -> DeviceCompany:
        """Who else uses the device. Other judges of this user know of this one from here on."""
        with contextlib.suppress(HostError, OSError):
            self._presence = JudgePresence(device_key(self.device.describe()))
        listed = self.device.processes
        if self.judges_lock is None:
            return DeviceCompany(listed, self._presence)
        return DeviceCompany(listed, self._presence, takes_turns=self.judges_lock.is_judge)

    @cached_property
    def judges_lock(self) -> JudgesLock | None:
        """By which judges of this user take turns on a device; None where it cannot be kept."""
        if not self.device.accelerated:
            return None
        with contextlib.suppress(HostError, OSError):
            return judges_lock(device_key(self.device.describe()))
        return None

    @cached_property
    def arenas(self) -> MakeArena:
        """How memory is made that both sides of the wall see."""
        from assay.sandbox.host.arena import HostArena
        from assay.sandbox.host.device_arena import DeviceArena

        if not self.device.accelerated:
            return HostArena
        return lambda number, size: DeviceArena(number, size, self.driver)

    @property
    def torch_version(self) -> str:
        """Of the warm parent."""
        return self._zygote.hello().torch

    @property
    def runner_memory(self) -> RunnerMemory:
        """Where the runner lies in every process that is raised."""
        return self._zygote.hello().runner

    def raise_sandbox(
        self, all_packages: bool = False, threads: int | None = None
    ) -> SandboxedProcess:
        """A new tree behind every layer this machine has, with an empty scratch folder.

        While one is in use the next that is expected is raised in the background (40 ms). The
        task's own code, a baseline, may import whatever is installed: it is shown all packages.
        With `threads` the libraries of this one are told to use as many.
        """
        if all_packages or threads is not None:
            return self._raise(PackageView() if all_packages else None, threads)
        with self._turn:
            standby, self._standby = self._standby, None
        process = standby.result() if standby is not None else self._raise()
        with self._turn:
            self._expected = max(0, self._expected - 1)
            if self._expected > 0 and self._standby is None:
                self._standby = self._builder.submit(self._raise)
        return process

    def expect(self, count: int) -> None:
        """So many more sandboxes will be asked for."""
        with self._turn:
            self._expected += count

    def raise_compiler(self, readable: tuple[str, ...]) -> SandboxedProcess:
        """A tree for compilers alone: without the device, and with these folders to be read."""
        spec = self._spec(self._new_scratch(), self.packages, None)
        shown = (*spec.readable, *readable)
        return self._start(
            replace(spec, readable=shown, torch_device="cpu", accelerator="", device_files=())
        )

    def _raise(
        self, packages: PackageView | None = None, threads: int | None = None
    ) -> SandboxedProcess:
        shown = self.packages if packages is None else packages
        return self._start(self._spec(self._new_scratch(), shown, threads))

    def _start(self, spec: SandboxSpec) -> SandboxedProcess:
        name = f"{self._name}-{next(self._counter)}"
        limits = GroupLimits(self.sandbox_limits.memory_bytes, self.sandbox_limits.tasks)
        group = ControlGroup.create(name, limits)
        tree = self._zygote.spawn(spec, group.paths if group else ())
        processes: ProcessTree
        processes = GroupTree(tree.pid, group) if group else SignalTree(tree.pid)
        caps = Caps(self.sandbox_limits.memory_bytes, self.sandbox_limits.processes)
        process = SandboxedProcess(tree, processes, caps)
        process.scratch_path = spec.scratch
        self._open.append(process)
        return process

    def end(self, process: SandboxedProcess) -> None:
        """End one sandbox."""
        process.close()
        self._open.remove(process)
        self._remove_scratch(process.scratch_path)

    def close(self) -> None:
        """End every sandbox and the warm parent."""
        self._builder.shutdown(wait=True)
        for process in list(self._open):
            with contextlib.suppress(OSError):
                self.end(process)
        self._zygote.close()
        if self._presence is not None:
            self._presence.close()

    def __enter__(self) -> Wall:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _new_scratch(self) -> str:
        """The scratch folder as the candidate sees it: a mount of its own, or a new folder."""
        if self.isolation is Isolation.NAMESPACES:
            return MOUNTED_SCRATCH
        return tempfile.mkdtemp(prefix="scratch-")

    def _remove_scratch(self, path: str) -> None:
        if path != MOUNTED_SCRATCH:
            shutil.rmtree(path, ignore_errors=True)

    def _package_view(self, ours: tuple[str, ...]) -> PackageView:
        """Our own package is hidden by its path, whoever names it."""
        modules = {name.partition(".")[0] for name in (*self._held.modules, *ours)} - {"assay"}
        names = (*sorted(modules), *tool_packages(), *self._held.packages)
        return package_view(names, readable_paths())

    def _spec(self, scratch: str, packages: PackageView, threads: int | None) -> SandboxSpec:
        told = {} if threads is None else dict.fromkeys(_THREAD_SETTINGS, str(threads))
        return SandboxSpec(
            isolation=self.isolation,
            readable=(*readable_paths(), *self._held.readable, *packages.beside),
            hidden=hidden_paths(),
            scratch=scratch,
            scratch_bytes=self.sandbox_limits.scratch_bytes,
            memory_bytes=self.sandbox_limits.memory_bytes,
            environment=tuple((self._environment(scratch) | _drawn_names() | told).items()),
            threads=threads or self.sandbox_limits.threads,
            torch_device=self.device.torch_device,
            accelerator=self.device.accelerator,
            tf32=self.tf32,
            device_files=self.device.device_files(),
            package_folders=packages.folders,
            packages=packages.shown,
        )

    def _environment(self, scratch: str) -> dict[str, str]:
        return neutral_environment(scratch, self.device) | dict(self._held.environment)


def chosen_isolation(offered: Isolation) -> Isolation:
    """What the machine offers, or what the user forces to try it."""
    forced = os.environ.get(_FORCE)
    if forced is None:
        return offered
    try:
        return Isolation(forced)
    except ValueError:
        known = ", ".join(Isolation)
        raise UsageError(f"{_FORCE}={forced}: known are {known}") from None


def readable_paths() -> tuple[str, ...]:
    """The allow-list: the system's libraries and compilers, and this interpreter's own folders."""
    interpreter = {sys.prefix, sys.base_prefix, *site.getsitepackages()}
    # Never the rest of sys.path: it holds the caller's own folders, and with them the task.
    packages = {p for p in sys.path if os.path.basename(p) in PACKAGE_FOLDERS}
    roots = sorted({os.path.realpath(p) for p in interpreter | packages} | interpreter)
    kept: list[str] = []
    for path in roots:
        if not any(path.startswith(f"{other}/") for other in kept if other != path):
            kept.append(path)
    shown = (*_SYSTEM_PATHS, *kept)
    tools = [folder for one in LANGUAGES.working() for folder in one.tool_folders]
    return (*shown, *(f for f in tools if not f.startswith(tuple(f"{place}/" for place in shown))))


def hidden_paths() -> tuple[str, ...]:
    """Assay itself, and packages of others that hold tasks or know what is checked."""
    ours = str(Path(assay.__file__).resolve().parent)
    return (ours, *outside_packages("assay.readers", "assay.checks"))


def _drawn_names() -> dict[str, str]:
    """Who the user is and what language is spoken: drawn for each process.

    A result that hangs on one of them is wrong in some process, as it is for some user.
    """
    user = secrets.choice(_USERS)
    return {"USER": user, "LOGNAME": user, "LANG": secrets.choice(_LANGUAGES)}


def neutral_environment(scratch: str, device: DeviceBackend) -> dict[str, str]:
    """What the candidate sees: the same in every phase, with every cache in its own scratch."""
    tools = [folder for one in LANGUAGES.working() for folder in one.tool_folders]
    folders = (os.path.dirname(sys.executable), *tools, "/usr/local/bin", "/usr/bin", "/bin")
    home = f"{scratch}/home"
    return {
        **device.environment(),
        **child_environment(device, home),
        "PATH": ":".join(folders),
        "HOME": home,
        "TMPDIR": scratch,
        "LANG": "C.UTF-8",
        "USER": "user",
        "XDG_CACHE_HOME": f"{home}/.cache",
        "PYTHONDONTWRITEBYTECODE": "1",
    }
