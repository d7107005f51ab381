"""The zygote: a warm parent with torch imported, from which every sandboxed tree is forked.

The rule: it holds no secret, runs no operation (a child of a parent that has used its thread pool
hangs), and its children start with no descriptor but their own. When the host goes away, however
that happens, it ends every tree it started.
"""

from __future__ import annotations

import contextlib
import gc
import importlib
import os
import select
import shutil
import signal
import socket
import sys
import traceback

from assay.sandbox.child.package_finder import show_only
from assay.sandbox.layers import namespaces, syscalls
from assay.sandbox.layers.probe import best_isolation
from assay.sandbox.layers.spec import Isolation, SandboxSpec
from assay.sandbox.protocol import wire
from assay.sandbox.protocol.runner_layout import runner_memory
from assay.sandbox.protocol.spawn_messages import Hello, Spawn, Warm

_REAP_INTERVAL_S = 0.2
_WHILE_IMPORTING = {
    "OPENBLAS_NUM_THREADS": "1",  # its pool starts at import and spins in every child
    "PYTORCH_NVML_BASED_CUDA_CHECK": "1",  # asking the driver itself would spoil every fork
}


def main() -> None:
    """Serve spawn requests on standard input, which is a socket."""
    control = socket.socket(fileno=os.dup(0))
    null = os.open(os.devnull, os.O_RDWR)
    os.dup2(null, 0)
    os.close(null)
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    warm, _ = wire.receive(control)
    isolation = best_isolation()  # before torch: the probe forks, and forks are cheap now
    torch_version = _import(warm)
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
    wire.send(control, Hello(isolation, torch_version, runner_memory()))
    try:
        _serve(control)
    except Exception:
        traceback.print_exc()  # the host reads it when it finds us gone
    finally:
        os._exit(0)


def _import(warm: Warm) -> str:
    gc.disable()  # modules are made, and little is given up meanwhile
    os.environ.clear()
    os.environ.update(dict(warm.environment))
    sys.argv = ["python"]
    # What is imported here is ours to keep, in a folder of ours alone; no child knows of it.
    sys.dont_write_bytecode = sys.dont_write_bytecode or sys.pycache_prefix is None
    os.environ.update(_WHILE_IMPORTING)
    _import_all(warm.adapters)
    show_only(*warm.packages)
    _import_all(("torch", "torch.utils.cpp_extension", *warm.modules))
    for name in _WHILE_IMPORTING:
        del os.environ[name]
    importlib.import_module("assay.sandbox.child.init_process")
    sys.dont_write_bytecode, sys.pycache_prefix = True, None
    gc.collect()
    gc.freeze()  # keeps the collector from copying the parent's pages in every child
    gc.enable()
    return str(sys.modules["torch"].__version__)


def _import_all(names: tuple[str, ...]) -> None:
    for name in names:
        with contextlib.suppress(ImportError):  # an absent language shows when a candidate asks
            importlib.import_module(name)


def _serve(control: socket.socket) -> None:
    spawned: dict[int, Spawn] = {}
    while True:
        if not select.select([control], [], [], _REAP_INTERVAL_S)[0]:
            _reap(spawned)
            continue
        try:  # however long the rest of the message takes: half of one cannot be taken back
            spawn, descriptors = wire.receive(control)
        except (EOFError, OSError):
            _end_all(spawned)
            return
        pid = _spawn(spawn, descriptors, control)
        spawned[pid] = spawn
        wire.send(control, pid)


def _reap(spawned: dict[int, Spawn]) -> None:
    with contextlib.suppress(ChildProcessError):
        while (pid := os.waitpid(-1, os.WNOHANG)[0]) != 0:
            spawned.pop(pid, None)


def _end_all(spawned: dict[int, Spawn]) -> None:
    """The host is gone: thaw, kill and remove whatever it left."""
    left = [path for spawn in spawned.values() for path in spawn.groups]
    with contextlib.suppress(ChildProcessError):
        while (
            True
        ):  # orphans of a killed init process become our children: go on until there are none
            for path in left:
                _thaw(path)
            for pid in _children():
                with contextlib.suppress(OSError):
                    os.kill(pid, signal.SIGKILL)
            os.waitpid(-1, 0)
    for path in left:
        with contextlib.suppress(OSError):
            os.rmdir(path)
    for spawn in spawned.values():
        if spawn.spec.isolation is not Isolation.NAMESPACES:
            shutil.rmtree(spawn.spec.scratch, ignore_errors=True)


def _children() -> list[int]:
    with open(f"/proc/self/task/{os.getpid()}/children") as file:
        return [int(word) for word in file.read().split()]


def _thaw(path: str) -> None:
    for name, text in (("cgroup.freeze", "0"), ("freezer.state", "THAWED")):
        with contextlib.suppress(OSError), open(f"{path}/{name}", "w") as file:
            file.write(text)


def _spawn(spawn: Spawn, descriptors: list[int], control: socket.socket) -> int:
    """Fork the init process of a new tree; returns its pid as the host sees it."""
    read_end, write_end = os.pipe()
    first = os.fork()
    if first == 0:
        _become_init(spawn.spec, descriptors, control, (read_end, write_end))
    os.close(write_end)
    with open(read_end, "rb") as report:
        text = report.read()
    for descriptor in descriptors:
        os.close(descriptor)
    if spawn.spec.isolation is Isolation.NAMESPACES:
        os.waitpid(first, 0)
        return int(text or b"-1")
    return first


def _become_init(
    spec: SandboxSpec, descriptors: list[int], control: socket.socket, pipe: tuple[int, int]
) -> None:
    """In the fork: leave the namespaces, fork once more to be process 1, and keep."""
    try:
        os.setsid()
        control.close()
        os.close(pipe[0])
        if spec.isolation is Isolation.NAMESPACES:
            namespaces.leave()
            pid = os.fork()
            if pid:
                os.write(pipe[1], str(pid).encode())
                os._exit(0)
        os.close(pipe[1])
        sys.modules["assay.sandbox.child.init_process"].keep(spec, descriptors)
    finally:
        os._exit(70)
