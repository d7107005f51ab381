"""The init process: process 1 of a sandboxed tree. It builds the root, starts the candidate's
process, reports how that ends, and ends the tree when the host goes away.

The rule: it is out of the candidate's reach (not dumpable, no capabilities, its socket closed in
the candidate's process), so that what it reports is the kernel's word.
"""

from __future__ import annotations

import contextlib
import os
import select
import signal
import socket

from assay.errors import DeviceError
from assay.sandbox.child import runner
from assay.sandbox.layers import namespaces, syscalls
from assay.sandbox.layers.confinement import confine
from assay.sandbox.layers.spec import Isolation, SandboxSpec
from assay.sandbox.protocol import wire
from assay.sandbox.protocol.spawn_messages import Ended, Ready, SpawnRefused

_REAP_INTERVAL_MS = 250


def keep(spec: SandboxSpec, descriptors: list[int]) -> None:
    """Never returns."""
    channel, socket_fd, output = descriptors
    host = socket.socket(fileno=socket_fd)
    syscalls.prctl(syscalls.PR_SET_CHILD_SUBREAPER, 1)
    host.recv(1)  # the host has put us into our control groups
    try:
        pid = _start(spec, host, channel, output)
    except OSError as refusal:
        wire.send(host, SpawnRefused(str(refusal)))
        os._exit(1)
    os.close(channel)
    os.close(output)
    folder = os.open(spec.scratch, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
    wire.send(host, Ready(pid), [folder])
    os.close(folder)
    _wait(host, pid)


def _start(spec: SandboxSpec, host: socket.socket, channel: int, output: int) -> int:
    if spec.isolation is Isolation.NAMESPACES:
        namespaces.build_root(spec)
    syscalls.prctl(syscalls.PR_SET_DUMPABLE, 0)
    pid = os.fork()
    if pid == 0:
        _become_candidate(spec, host, channel, output)
    syscalls.drop_capabilities()
    return pid


def _become_candidate(spec: SandboxSpec, host: socket.socket, channel: int, output: int) -> None:
    """In the fork: shed everything but the channel and the output file, then run."""
    try:
        host.close()
        syscalls.prctl(syscalls.PR_SET_DUMPABLE, 1)
        os.dup2(output, 1)
        os.dup2(output, 2)
        os.dup2(channel, 3)
        os.closerange(4, 65536)
        os.environ.clear()
        os.environ.update(dict(spec.environment))
        os.chdir(spec.scratch)
        layers = confine(spec)
        runner.serve(socket.socket(fileno=3), layers, spec)
    except (OSError, DeviceError) as refusal:
        os.write(2, f"a layer was refused: {refusal}".encode())
    finally:
        os._exit(71)


def _wait(host: socket.socket, pid: int) -> None:
    """Reap until the candidate's process ends or the host goes away."""
    poller = select.poll()
    poller.register(host.fileno(), select.POLLIN | select.POLLHUP)
    poller.register(os.pidfd_open(pid), select.POLLIN)
    while True:
        ready = {fd for fd, _ in poller.poll(_REAP_INTERVAL_MS)}
        if host.fileno() in ready:
            _end_tree(pid)
        with contextlib.suppress(ChildProcessError):
            while (found := os.waitpid(-1, os.WNOHANG)) != (0, 0):
                if found[0] == pid:
                    wire.send(host, Ended(found[1]))
                    host.recv(1)  # stay until the host has looked around, then end the tree
                    _end_tree(pid)


def _end_tree(pid: int) -> None:
    """As process 1 our end is everybody's end; elsewhere kill what we can see ourselves."""
    with contextlib.suppress(OSError):
        os.kill(pid, signal.SIGKILL)
    os._exit(0)
