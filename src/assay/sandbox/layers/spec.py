"""SandboxSpec: what the host decides about a sandbox before it exists. It names no secret."""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum


class Isolation(StrEnum):
    """The road by which files, processes and the network are kept out of reach."""

    NAMESPACES = "namespaces"
    LANDLOCK = "landlock"
    NONE = "none"


@dataclass(frozen=True)
class SandboxSpec:
    """Paths, limits and environment of one sandboxed process tree."""

    isolation: Isolation
    readable: tuple[str, ...]  # allow-list: interpreter, libraries, compilers
    hidden: tuple[str, ...]  # places under `readable` that are masked: Assay's own sources
    scratch: str  # where the candidate lives and writes, as it sees it
    scratch_bytes: int
    memory_bytes: int  # address space on top of what the warm parent already maps
    environment: tuple[tuple[str, str], ...]
    threads: int
    torch_device: str = "cpu"
    accelerator: str = ""  # `module:Class` of what sets the device up; none without one
    tf32: bool = False  # whether float32 products may be rounded to TF32 on the device
    device_files: tuple[str, ...] = ()  # of the accelerator, to be opened for reading and writing
    package_folders: tuple[str, ...] = ()  # of which only `packages` exist
    packages: tuple[str, ...] = ()  # paths in them
