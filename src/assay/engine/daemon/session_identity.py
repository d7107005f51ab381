"""SessionIdentity: what two processes must have in common to get the same verdicts.

The rule: a variable of the environment counts unless it is known to be about a terminal or a
session. Its value is compared by hash, so that a difference can be named and nothing is told.
"""

from __future__ import annotations

import hashlib
import os
import resource
import site
import sys
from pathlib import Path

import assay
from assay.data.record import Record, content_id

# Of terminals, prompts, desktops, logins and test runners: nothing that computes reads them.
_NAMES = frozenset(
    """_ PWD OLDPWD SHLVL TERM TERMINFO TERMCAP COLORTERM COLUMNS LINES LS_COLORS NO_COLOR
    FORCE_COLOR CLICOLOR CLICOLOR_FORCE PS0 PS1 PS2 PS3 PS4 PROMPT PROMPT_COMMAND RPROMPT HISTFILE
    HISTSIZE HISTFILESIZE HISTCONTROL EDITOR VISUAL PAGER LESS LESSOPEN LESSCLOSE MANPAGER MAIL
    DISPLAY WAYLAND_DISPLAY XAUTHORITY WINDOWID WINDOW STY TMUX TMUX_PANE TMUX_TMPDIR
    DBUS_SESSION_BUS_ADDRESS GPG_TTY GPG_AGENT_INFO SESSION_MANAGER DESKTOP_SESSION
    DESKTOP_STARTUP_ID INVOCATION_ID JOURNAL_STREAM SYSTEMD_EXEC_PID MANAGERPID
    MEMORY_PRESSURE_WATCH MEMORY_PRESSURE_WRITE VIRTUAL_ENV_PROMPT CONDA_PROMPT_MODIFIER VTE_VERSION
    MAKEFLAGS MFLAGS MAKELEVEL PYTEST_CURRENT_TEST PYTEST_VERSION ASSAY_NO_DAEMON""".split()
)
_PREFIXES = (
    "SSH_",
    "XDG_SESSION",
    "XDG_SEAT",
    "XDG_VTNR",
    "XDG_MENU",
    "XDG_CURRENT_DESKTOP",
    "GNOME_",
    "KDE_",
    "GTK_",
    "QT_",
    "KITTY_",
    "ITERM_",
    "WEZTERM_",
    "ALACRITTY_",
    "TERM_",
    "VSCODE_",
    "LC_TERMINAL",
    "PYTEST_XDIST",
)
_LIMITS = ("RLIMIT_AS", "RLIMIT_DATA", "RLIMIT_STACK", "RLIMIT_MEMLOCK", "RLIMIT_NPROC")
_NAMESPACES = ("mnt", "pid", "user", "net")
_NAMED = 3  # variables in a sentence; others are counted


class SessionIdentity(Record):
    """Of one process, at one moment."""

    assay: str  # the version
    package: str  # where it is imported from
    sources: str  # a hash of when its files were changed, and installed packages beside it
    python: str  # the interpreter and its version
    processors: tuple[int, ...]  # that its threads may use
    limits: tuple[str, ...]  # of resources, and its priority
    namespaces: tuple[str, ...]  # a container's processes see other files
    environment: dict[str, str]  # hashes by name

    @classmethod
    def of_this_process(cls) -> SessionIdentity:
        """As it is now."""
        return cls(
            assay=assay.__version__,
            package=str(_package()),
            sources=_sources(),
            python=f"{os.path.realpath(sys.executable)} {sys.prefix} {sys.version}",
            processors=tuple(sorted(os.sched_getaffinity(0))),
            limits=_limits(),
            namespaces=tuple(os.readlink(f"/proc/self/ns/{name}") for name in _NAMESPACES),
            environment=_environment(),
        )

    def difference(self, other: SessionIdentity) -> str:
        """What the other has in another way, in words; empty where nothing is."""
        if self.assay != other.assay:
            return f"it is Assay {self.assay}, not {other.assay}"
        said = {
            "package": f"it imports Assay from {self.package}",
            "python": "it runs another Python",
            "sources": "Assay's files or installed packages have changed since it started",
            "processors": "its threads may use other processors",
            "limits": "its resource limits or its priority are others",
            "namespaces": "it runs in another container or namespace",
        }
        for name, words in said.items():
            if getattr(self, name) != getattr(other, name):
                return words
        return self._variables(other)

    def _variables(self, other: SessionIdentity) -> str:
        ours, theirs = self.environment, other.environment
        differing = sorted(n for n in ours.keys() | theirs.keys() if ours.get(n) != theirs.get(n))
        if not differing:
            return ""
        more = f" and {len(differing) - _NAMED} more" if len(differing) > _NAMED else ""
        return f"its environment differs in {', '.join(differing[:_NAMED])}{more}"


def _package() -> Path:
    return Path(assay.__file__).resolve().parent


def _sources() -> str:
    """Files by size and time of change; the folders of packages by theirs, which pip changes."""
    digest = hashlib.sha256()
    for folder, folders, files in os.walk(_package()):
        folders[:] = sorted(name for name in folders if name != "__pycache__")
        for name in sorted(files):
            found = os.stat(os.path.join(folder, name))
            digest.update(f"{folder}/{name} {found.st_size} {found.st_mtime_ns}\n".encode())
    for place in sorted({*site.getsitepackages(), site.getusersitepackages()}):
        if os.path.isdir(place):
            digest.update(f"{place} {os.stat(place).st_mtime_ns}\n".encode())
    return digest.hexdigest()


def _limits() -> tuple[str, ...]:
    found = [f"{n} {resource.getrlimit(getattr(resource, n))}" for n in _LIMITS]
    scheduling = f"{os.sched_getscheduler(0)} {os.getpriority(os.PRIO_PROCESS, 0)}"
    return (*found, scheduling)


def _environment() -> dict[str, str]:
    return {
        name: content_id(value)
        for name, value in os.environ.items()
        if name not in _NAMES and not name.startswith(_PREFIXES)
    }
