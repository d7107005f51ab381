"""Paths: what reading or writing a place says about a kernel.

The rule: facts about the machine are free; other processes, credentials and installed software are
not a kernel's. A path that is only known by its beginning or its end is judged by that part.
"""

from __future__ import annotations

import re
from enum import StrEnum


class PathMeaning(StrEnum):
    """What touching a path says."""

    ORDINARY = "ordinary"  # says nothing: its own folder, a scratch folder, a library
    MACHINE = "machine"  # facts about processor, memory, devices
    ODD = "odd"  # process facts under /proc, home folders, system settings
    SECRET = "secret"  # memory, environment or descriptors of a process; keys and passwords
    INSTALLED = "installed"  # software and settings of the machine


_MACHINE = re.compile(
    r"^/proc/(self/)?(cpuinfo|meminfo|stat|version|sys/|loadavg|driver/|filesystems|uptime|status)"
    r"|^/sys/(devices|class|fs/cgroup|bus|kernel/mm|module)"
    r"|^/etc/(os-release|lsb-release|ld\.so|nsswitch|localtime|timezone|host(s|name)|resolv)"
    r"|^/dev/"
)
_PROCESS = re.compile(r"/(mem|environ|maps|smaps|fd|fdinfo|cmdline|task|root|cwd|exe|pagemap)\b")
_OWN_PROCESS = re.compile(r"^/proc/(self|thread-self)/(maps|smaps|cmdline|exe|cwd|task)\b")
_CREDENTIALS = re.compile(
    r"^/etc/(shadow|gshadow|passwd|sudoers|ssh)\b|(^|/)\.(ssh|aws|gnupg|netrc|kube|docker)(/|$)"
    r"|(^|/)(id_rsa|id_ed25519|authorized_keys|\.git-credentials|\.bash_history)$"
)
_INSTALLED = re.compile(
    r"^/(etc|usr|lib|lib64|bin|sbin|boot|opt|srv|root|var/(lib|spool|cron|www))(/|$)"
    r"|(^|/)(site-packages|dist-packages)(/|$)|\.pth$|(^|/)(sitecustomize|usercustomize)\.py$"
    r"|(^|/)\.(bashrc|profile|bash_profile|zshrc|config/autostart|ssh)(/|$)"
)


def meaning_of_read(path: str) -> PathMeaning:
    """What reading or listing a path says."""
    if _CREDENTIALS.search(path):
        return PathMeaning.SECRET
    if path.startswith("/proc"):
        return _of_proc(path)
    return PathMeaning.MACHINE if _MACHINE.search(path) else PathMeaning.ORDINARY


def _of_proc(path: str) -> PathMeaning:
    if _MACHINE.search(path):
        return PathMeaning.MACHINE
    if _OWN_PROCESS.search(path):  # allocators and loaders look at their own maps
        return PathMeaning.ODD
    return PathMeaning.SECRET if _PROCESS.search(path) else PathMeaning.ODD


def meaning_of_write(path: str) -> PathMeaning:
    """What writing a path says; a read that convicts convicts here too."""
    if path.startswith("/dev/"):
        return PathMeaning.ORDINARY
    if _INSTALLED.search(path) or path.startswith(("/proc", "/sys")):
        return PathMeaning.INSTALLED
    return PathMeaning.SECRET if _CREDENTIALS.search(path) else PathMeaning.ORDINARY
