"""Spawning: what host, warm parent and init process say to each other. All three are trusted."""

from __future__ import annotations

from dataclasses import dataclass

from assay.sandbox.layers.spec import Isolation, SandboxSpec
from assay.sandbox.protocol.runner_memory import RunnerMemory


@dataclass(frozen=True)
class Warm:
    """Host to warm parent: what to import before the first fork."""

    modules: tuple[str, ...]
    environment: tuple[tuple[str, str], ...]
    packages: tuple[tuple[str, ...], tuple[str, ...]] = ((), ())  # folders, paths shown in them
    adapters: tuple[str, ...] = ()  # of languages: imported while every package is in sight


@dataclass(frozen=True)
class Hello:
    """Warm parent to host: ready to fork."""

    isolation: Isolation
    torch: str
    runner: RunnerMemory


@dataclass(frozen=True)
class Spawn:
    """Host to warm parent: fork one tree. Descriptors: channel, init process's socket, output
    file.
    """

    spec: SandboxSpec
    groups: tuple[str, ...]  # control groups to thaw and remove should the host vanish


@dataclass(frozen=True)
class Ready:
    """Init process to host: the sandbox is ready. A descriptor of the scratch folder comes with
    it.
    """

    pid: int  # of the candidate's process, in the init process's own pid namespace


@dataclass(frozen=True)
class SpawnRefused:
    """Init process to host: a layer could not be raised; nothing was started."""

    text: str


@dataclass(frozen=True)
class Ended:
    """Init process to host: the candidate's process ended with this wait status."""

    status: int
