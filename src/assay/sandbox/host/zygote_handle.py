"""ZygoteHandle: the host's handle on the warm parent."""

from __future__ import annotations

import contextlib
import os
import socket
import subprocess
import sys
import threading
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from assay.errors import HostError
from assay.sandbox.host.bytecode_folder import with_bytecode
from assay.sandbox.layers.spec import SandboxSpec
from assay.sandbox.protocol import wire
from assay.sandbox.protocol.spawn_messages import Hello, Spawn, Warm

_START = "from assay.sandbox.child.zygote import main; main()"
_START_TIMEOUT_S = 120.0
_LOG_BYTES = 1 << 16
_LOADER = ("LD_LIBRARY_PATH",)  # read once, when a process starts


@dataclass(frozen=True)
class Tree:
    """The host's ends of a freshly forked tree. The init process waits for its first byte."""

    pid: int
    channel: socket.socket
    init_channel: socket.socket
    output: int  # what the candidate prints; text for a log, never a result


class ZygoteHandle:
    """Starts at once, warms up in the background, forks on demand."""

    def __init__(self, warm: Warm) -> None:
        ours, theirs = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        self._errors = os.memfd_create("zygote")
        self._process = subprocess.Popen(
            [sys.executable, "-c", _START],
            stdin=theirs.fileno(),
            stdout=subprocess.DEVNULL,
            stderr=self._errors,
            env=with_bytecode(_start_environment()),
            cwd="/",
            start_new_session=True,  # Ctrl-C is ours to handle, not theirs
        )
        theirs.close()
        self._control = ours
        self._control.settimeout(_START_TIMEOUT_S)
        self._hello: Hello | None = None
        self._lock = threading.Lock()  # one spawn at a time on the control socket
        wire.send(ours, warm)

    def hello(self) -> Hello:
        """Wait until it is warm."""
        with self._lock:
            if self._hello is None:
                self._hello = self._receive()
            return self._hello

    def spawn(self, spec: SandboxSpec, groups: tuple[str, ...]) -> Tree:
        """Fork a tree."""
        self.hello()
        channel, channel_child = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        init_channel, init_child = socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)
        output = os.memfd_create("output")
        with channel_child, init_child:
            descriptors = [channel_child.fileno(), init_child.fileno(), output]
            with self._lock:
                wire.send(self._control, Spawn(spec, groups), descriptors)
                pid = self._receive()
        if not isinstance(pid, int) or pid <= 0:
            raise HostError(f"the warm parent could not fork a sandbox: {self._log()}")
        return Tree(pid, channel, init_channel, output)

    def close(self) -> None:
        """End it, and with it every tree it still has."""
        self._control.close()
        if self._hello is not None:  # else it has no tree yet, and may import for seconds more
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(5)
        if self._process.poll() is None:
            self._process.kill()
            self._process.wait()
        with contextlib.suppress(OSError):
            os.close(self._errors)

    def _receive(self) -> Any:
        try:
            message, _ = wire.receive(self._control)
        except (EOFError, OSError) as error:
            raise HostError(f"the warm parent died: {self._log()}") from error
        return message

    def _log(self) -> str:
        return os.pread(self._errors, _LOG_BYTES, 0).decode("utf-8", "replace")[-2000:]


def _start_environment() -> dict[str, str]:
    """Enough to import what we import; the zygote then clears it."""
    package_root = str(Path(__file__).resolve().parents[3])
    paths = [package_root, *(p for p in sys.path if p and p != package_root)]
    return {
        "PATH": os.environ.get("PATH", os.defpath),
        "PYTHONPATH": os.pathsep.join(paths),
        "HOME": "/",
        "LANG": "C.UTF-8",
        **{name: os.environ[name] for name in _LOADER if name in os.environ},
    }
