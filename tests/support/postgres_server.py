"""A PostgreSQL server of the test's own, where the program is installed."""

from __future__ import annotations

import glob
import os
import pwd
import shutil
import subprocess
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

NEEDED = ("initdb", "pg_ctl")


def program(name: str) -> str | None:
    """Debian keeps them outside the path."""
    places = sorted(glob.glob(f"/usr/lib/postgresql/*/bin/{name}"), reverse=True)
    return shutil.which(name) or next(iter(places), None)


def is_installed() -> bool:
    return all(program(name) for name in NEEDED)


@contextmanager
def running() -> Iterator[str]:
    """The URL of an empty database; reached by a socket in its own folder."""
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        data = Path(folder) / "data"
        _run(folder, program("initdb"), "-D", data, "-U", "assay", "--auth=trust", "-N")
        options = f"-k {folder} -c listen_addresses= -c fsync=off"
        log = Path(folder) / "log"
        _run(folder, program("pg_ctl"), "-D", data, "-w", "-l", log, "-o", options, "start")
        try:
            yield f"postgresql://assay@/postgres?host={folder}"
        finally:
            _run(folder, program("pg_ctl"), "-D", data, "-m", "immediate", "stop")


def _run(folder: str, *words: object) -> None:
    """PostgreSQL refuses to run as root: then as `nobody`, who gets the folder."""
    user = "nobody" if os.geteuid() == 0 else None
    if user:
        account = pwd.getpwnam(user)
        os.chown(folder, account.pw_uid, account.pw_gid)
    subprocess.run(
        [str(word) for word in words],
        check=True,
        user=user,
        cwd="/",
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
