"""ControlGroup: kernel control groups for one sandboxed tree, in whichever layout the machine has.

The rule: freezing prefers version 2 (a frozen tree can still be killed; 66 us against 119 us) and
takes version 1 where that is all there is; memory and process caps come from either.
"""

from __future__ import annotations

import contextlib
import os
import time
from dataclasses import dataclass
from pathlib import Path

_YIELDS = 20  # looks at a tree that is about to stand still, some 5 us each
_PAUSE_S = 50e-6  # between the looks after those
_FREEZE_TIMEOUT_S = 10.0  # a host may keep one of our processors for seconds
_FREEZE_TRIES = 3
_MODES = {"cgroup.events": os.O_RDONLY, "cgroup.procs": os.O_RDONLY}


@dataclass(frozen=True)
class GroupLimits:
    """Caps the kernel itself enforces where it can."""

    memory_bytes: int
    tasks: int


@dataclass(frozen=True)
class _Hierarchy:
    """One mounted hierarchy, at the place of the calling process."""

    controllers: frozenset[str]
    folder: Path


def _own_paths() -> dict[str, str]:
    """Controllers (or "" for version 2) to this process's place in their hierarchy."""
    found = {}
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        found[controllers] = path
    return found


def _hierarchies() -> list[_Hierarchy]:
    own = _own_paths()
    found = []
    for line in Path("/proc/self/mountinfo").read_text().splitlines():
        head, _, tail = line.partition(" - ")
        kind, _, options = tail.split(" ")[:3]
        mount = Path(head.split(" ")[4])
        if kind == "cgroup2":
            found.append(_Hierarchy(frozenset({"v2"}), _at(mount, own.get("", "/"))))
        elif kind == "cgroup":
            names = frozenset(options.split(",")) & {"freezer", "pids", "memory"}
            place = next((own[c] for c in own if c and set(c.split(",")) & names), "/")
            if names:
                found.append(_Hierarchy(names, _at(mount, place)))
    return found


def _at(mount: Path, place: str) -> Path:
    folder = mount / place.lstrip("/")
    return folder if folder.is_dir() else mount


class ControlGroup:
    """The groups of one tree. `create` returns None where the machine offers no freezer."""

    def __init__(self, folders: dict[str, Path]) -> None:
        self._folders = folders  # role -> folder; roles: freezer2, freezer1, memory, pids
        self._open_files: dict[str, int] = {}  # freezing happens twice a batch: keep them open
        self.paths = tuple(sorted({str(f) for f in folders.values()}))

    @classmethod
    def create(cls, name: str, limits: GroupLimits) -> ControlGroup | None:
        """Make the folders and set the caps, as far as this machine lets us."""
        folders: dict[str, Path] = {}
        for hierarchy in _hierarchies():
            for role in _roles(hierarchy):
                with contextlib.suppress(OSError):
                    folder = hierarchy.folder / name
                    folder.mkdir(exist_ok=True)
                    folders[role] = folder
        group = cls(folders)
        if "freezer2" not in folders and "freezer1" not in folders:
            group.remove()
            return None
        group._limit(limits)
        return group

    @property
    def layers(self) -> tuple[str, ...]:
        """What these groups give, in words for the verdict's environment."""
        names = {
            "freezer2": "cgroup freezer (v2)",
            "freezer1": "cgroup freezer (v1)",
            "memory": "cgroup memory cap",
            "pids": "cgroup process cap",
        }
        return tuple(text for role, text in names.items() if role in self._folders)

    def add(self, pid: int) -> None:
        """Put a process, and so all its future children, into every group."""
        for path in self.paths:
            (Path(path) / "cgroup.procs").write_text(str(pid))

    def pids(self) -> list[int]:
        """Every process of the tree."""
        return [int(line) for line in self._read("cgroup.procs").split()]

    def freeze(self) -> None:
        """Stop the whole tree; returns once it stands still.

        Seen once, while a thread of the tree was traced: it was not counted as frozen for 5 s.
        """
        for _ in range(_FREEZE_TRIES - 1):
            with contextlib.suppress(TimeoutError):
                self._freeze_once()
                return
            self.thaw()
        self._freeze_once()

    def _freeze_once(self) -> None:
        if "freezer2" in self._folders:
            self._write("cgroup.freeze", "1")
            self._until("cgroup.events", "frozen 1")
        else:
            self._write("freezer.state", "FROZEN")
            self._until("freezer.state", "FROZEN")

    def thaw(self) -> None:
        """Let the tree run again."""
        if "freezer2" in self._folders:
            self._write("cgroup.freeze", "0")
        else:
            self._write("freezer.state", "THAWED")

    def out_of_memory_kills(self) -> int:
        """How often the kernel killed in this tree because the memory cap was reached."""
        folder = self._folders.get("memory")
        if folder is None:
            return 0
        for name in ("memory.events", "memory.oom_control"):
            with contextlib.suppress(OSError):
                for line in (folder / name).read_text().splitlines():
                    if line.startswith("oom_kill "):
                        return int(line.split()[1])
        return 0

    def remove(self) -> None:
        """Remove the folders; the tree must be dead. The kernel may need a moment."""
        for descriptor in self._open_files.values():
            os.close(descriptor)
        self._open_files.clear()
        for path in self.paths:
            for _ in range(200):
                try:
                    os.rmdir(path)
                    break
                except FileNotFoundError:
                    break
                except OSError:
                    time.sleep(0.005)

    @property
    def _freezer(self) -> Path:
        return self._folders.get("freezer2") or self._folders["freezer1"]

    def _write(self, name: str, text: str) -> None:
        os.pwrite(self._file(name), text.encode(), 0)

    def _read(self, name: str) -> str:
        return os.pread(self._file(name), 1 << 16, 0).decode()

    def _file(self, name: str) -> int:
        if name not in self._open_files:
            self._open_files[name] = os.open(self._freezer / name, _MODES.get(name, os.O_RDWR))
        return self._open_files[name]

    def _until(self, name: str, text: str) -> None:
        deadline, asked = time.monotonic() + _FREEZE_TIMEOUT_S, 0
        while text not in self._read(name):
            if time.monotonic() > deadline:
                raise TimeoutError(f"{self._freezer / name} never said {text!r}")
            asked += 1
            if asked < _YIELDS:
                os.sched_yield()
            else:  # threads that have yet to stop need the processor, on a busy machine this one
                time.sleep(_PAUSE_S)

    def _limit(self, limits: GroupLimits) -> None:
        caps = {
            "memory": (("memory.max", "memory.limit_in_bytes"), limits.memory_bytes),
            "pids": (("pids.max",), limits.tasks),
        }
        for role, (names, value) in caps.items():
            folder = self._folders.get(role)
            file = (
                next((folder / n for n in names if (folder / n).exists()), None) if folder else None
            )
            if file is None:
                self._folders.pop(role, None)
            else:
                file.write_text(str(value))


def _roles(hierarchy: _Hierarchy) -> list[str]:
    if "v2" in hierarchy.controllers:
        controllers = (hierarchy.folder / "cgroup.subtree_control").read_text().split()
        return ["freezer2", *({"memory", "pids"} & set(controllers))]
    names = {"freezer": "freezer1", "memory": "memory", "pids": "pids"}
    return [names[c] for c in sorted(hierarchy.controllers)]


def remove_leftovers(prefix: str) -> None:
    """Remove the groups of a judge that ended without removing them; their trees are dead."""
    for folder in _leftovers(prefix):
        with contextlib.suppress(OSError):
            folder.rmdir()


def thaw_leftovers(prefix: str) -> None:
    """Let trees run, that is die, whose judge ended while they were frozen."""
    for folder in _leftovers(prefix):
        for name, text in (("cgroup.freeze", "0"), ("freezer.state", "THAWED")):
            if (folder / name).exists():
                with contextlib.suppress(OSError):
                    (folder / name).write_text(text)


def _leftovers(prefix: str) -> list[Path]:
    with contextlib.suppress(OSError):
        return [f for h in _hierarchies() for f in h.folder.glob(f"{prefix}*")]
    return []
