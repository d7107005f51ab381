"""Surroundings: library names that tell a candidate where and by whom it is run.

The rule: reading one is free, for block sizes, debug prints and build folders hang on them; what
counts is whether a kernel runs or not by what they say.
"""

from __future__ import annotations

_ATTRIBUTES = frozenset(
    """os.environ os.environb sys.argv sys.orig_argv sys.modules sys.flags sys.gettrace
    sys.ps1 threading.main_thread""".split()
)
_CALLS = (
    "os.getenv", "os.getpid", "os.getppid", "os.getpgid", "os.getsid", "os.getcwd", "os.getlogin",
    "os.uname", "os.listdir", "os.scandir", "os.walk", "os.path.exists", "os.path.isfile",
    "os.isatty", "os.getloadavg", "os.urandom", "glob.", "inspect.stack", "inspect.currentframe",
    "inspect.trace", "inspect.getouterframes", "traceback.", "sys._getframe",
    "sys._current_frames", "sys.gettrace", "sys.getprofile", "threading.current_thread",
    "threading.active_count", "threading.enumerate", "threading.get_ident",
    "threading.get_native_id", "socket.gethostname", "platform.node", "psutil.", "getpass.",
    "random.", "secrets.", "uuid.", "pwd.", "pkgutil.",
)  # fmt: skip


def tells_surroundings(name: str) -> bool:
    """True where the value of a library attribute tells of the surroundings."""
    return name in _ATTRIBUTES


def asks_surroundings(name: str) -> bool:
    """True where calling a library name asks about the surroundings."""
    return name.startswith(_CALLS)
