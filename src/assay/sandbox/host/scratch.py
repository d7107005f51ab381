"""Scratch: reading and writing a candidate's scratch folder through a descriptor.

The rule: the tree in it is hostile. No link is followed, nothing but plain files, folders and links
is read, and depth, number and size are bounded.
"""

from __future__ import annotations

import contextlib
import io
import os
import stat
import tarfile
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import PurePosixPath

from assay.errors import UsageError

_MAX_FILES = 20_000  # that are kept of a build
_MAX_DEPTH = 24  # folders below each other
_MAX_BYTES = 256 << 20  # of all files together
_READ_FLAGS = os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
_FOLDER_FLAGS = os.O_RDONLY | os.O_DIRECTORY | os.O_NOFOLLOW | os.O_CLOEXEC


class Unkeepable(Exception):
    """The folder holds more than a build leaves behind, or something that cannot be read."""


@dataclass(frozen=True)
class _Found:
    path: str
    info: os.stat_result
    folder: int  # descriptor of the folder that holds it
    name: str


def write_file(root: int, path: str, data: bytes, mode: int = 0o600) -> None:
    """Create one file below the folder, and the folders it needs."""
    with _folder(root, os.path.dirname(path)) as folder:
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        (name,) = _parts(os.path.basename(path))
        fd = os.open(name, flags, mode, dir_fd=folder)
        with open(fd, "wb") as file:
            file.write(data)


def write_new(root: int, path: str, data: bytes) -> None:
    """Create one file where nothing is; it appears whole. Raises OSError where it cannot."""
    with _folder(root, os.path.dirname(path)) as folder:
        (name,) = _parts(os.path.basename(path))
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        with open(os.open(f"{name}.part", flags, 0o600, dir_fd=folder), "wb") as file:
            file.write(data)
        os.rename(f"{name}.part", name, src_dir_fd=folder, dst_dir_fd=folder)


def exists(root: int, path: str) -> bool:
    """Whether there is something by that name, in a plain folder below."""
    parent, name = os.path.split(path)
    try:
        folder = os.open(parent or ".", _FOLDER_FLAGS, dir_fd=root)
    except OSError:
        return False
    try:
        os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError:
        return False
    finally:
        os.close(folder)
    return True


def remove_folder(root: int, name: str) -> None:
    """Remove a folder and the plain files, links and pipes in it; what else is there stays."""
    with contextlib.suppress(OSError):
        folder = os.open(name, _FOLDER_FLAGS, dir_fd=root)
        try:
            for entry in os.listdir(folder):
                with contextlib.suppress(OSError):
                    os.unlink(entry, dir_fd=folder)
        finally:
            os.close(folder)
        os.rmdir(name, dir_fd=root)


def read_file(root: int, path: str, most: int) -> bytes:
    """At most so many bytes of one plain file. Raises Unkeepable where it is none."""
    try:
        with _folder(root, os.path.dirname(path)) as folder:
            fd = os.open(os.path.basename(path), _READ_FLAGS, dir_fd=folder)
        with open(fd, "rb") as file:
            if not stat.S_ISREG(os.fstat(fd).st_mode):
                raise Unkeepable(f"{path} is no plain file")
            return file.read(most)
    except OSError as error:
        raise Unkeepable(f"{path}: {error.strerror}") from error


def snapshot(root: int) -> bytes:
    """The whole tree as an uncompressed tar archive. Raises Unkeepable beyond the bounds."""
    buffer = io.BytesIO()
    total = 0
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as archive:
        try:
            for count, found in enumerate(_walk(root, "", 0)):
                total += found.info.st_size
                if count > _MAX_FILES or total > _MAX_BYTES:
                    raise Unkeepable(f"more than {_MAX_FILES} files or {_MAX_BYTES >> 20} MiB")
                _archive(archive, found)
        except OSError as error:
            raise Unkeepable(str(error)) from error
    return buffer.getvalue()


def joined(archive: bytes, others: Iterable[bytes], folder: str) -> bytes:
    """An archive with what others hold below a folder and it does not.

    Beyond the bounds it stays as it is. A folder there may be a file here: nothing is added below
    anything but a folder.
    """
    buffer = io.BytesIO()
    is_folder, total = {"": True}, 0
    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.PAX_FORMAT) as whole:
        for tar, member in _members(archive, others, folder):
            stands = is_folder.get(os.path.dirname(member.name), False)
            if member.name in is_folder or not stands:
                continue
            total += member.size
            if len(is_folder) > _MAX_FILES or total > _MAX_BYTES:
                return archive
            is_folder[member.name] = member.isdir()
            whole.addfile(member, tar.extractfile(member) if member.isreg() else None)
    return buffer.getvalue()


def _members(
    archive: bytes, others: Iterable[bytes], folder: str
) -> Iterator[tuple[tarfile.TarFile, tarfile.TarInfo]]:
    """All of the first; of the others what is below the folder, and the folder."""
    for number, data in enumerate((archive, *others)):
        if data:
            with tarfile.open(fileobj=io.BytesIO(data), mode="r:") as tar:
                for member in tar:
                    if number == 0 or f"{member.name}/".startswith(f"{folder}/"):
                        yield tar, member


def restore(root: int, archive: bytes) -> None:
    """Lay out an archive that `snapshot` made, times of change included (ninja looks at them)."""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
        for member in tar:
            _lay_out(root, tar, member)


def add_missing(root: int, archive: bytes, folder: str) -> None:
    """Lay out what an archive holds below a folder, where nothing of that name is yet."""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
        for member in tar:
            below = member.name.startswith(f"{folder}/") and member.isreg()
            source = tar.extractfile(member) if below else None
            if source is not None and not exists(root, member.name):
                write_new(root, member.name, source.read())


def used_bytes(root: int) -> int:
    """What is used of the file system that holds the folder, unnamed open files included."""
    found = os.fstatvfs(root)
    return (found.f_blocks - found.f_bfree) * found.f_frsize


def files_beginning(root: int, magic: bytes, most: int) -> Iterator[tuple[str, int, bytes]]:
    """Path, size and content of every plain file that begins so; only its beginning beyond `most`.

    Raises Unkeepable beyond the bounds.
    """
    for count, found in enumerate(_walk(root, "", 0)):
        if count > _MAX_FILES:
            raise Unkeepable(f"more than {_MAX_FILES} files")
        if not stat.S_ISREG(found.info.st_mode):
            continue
        fd = os.open(found.name, _READ_FLAGS, dir_fd=found.folder)
        with open(fd, "rb") as file:
            head = file.read(len(magic))
            if head == magic:
                size = os.fstat(fd).st_size
                yield found.path, size, head + (file.read(most) if size <= most else b"")


def _walk(folder: int, prefix: str, depth: int) -> Iterator[_Found]:
    if depth > _MAX_DEPTH:
        raise Unkeepable(f"folders nested more than {_MAX_DEPTH} deep")
    for name in sorted(os.listdir(folder)):
        try:
            info = os.stat(name, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            continue
        found = _Found(f"{prefix}{name}", info, folder, name)
        if stat.S_ISREG(info.st_mode) or stat.S_ISLNK(info.st_mode):
            yield found
        elif stat.S_ISDIR(info.st_mode):
            yield found
            inner = os.open(name, _FOLDER_FLAGS, dir_fd=folder)
            try:
                yield from _walk(inner, f"{found.path}/", depth + 1)
            finally:
                os.close(inner)


def _archive(archive: tarfile.TarFile, found: _Found) -> None:
    member = tarfile.TarInfo(found.path)
    member.mode = stat.S_IMODE(found.info.st_mode)
    member.mtime = found.info.st_mtime_ns / 1e9
    if stat.S_ISDIR(found.info.st_mode):
        member.type = tarfile.DIRTYPE
        archive.addfile(member)
    elif stat.S_ISLNK(found.info.st_mode):
        member.type = tarfile.SYMTYPE
        member.linkname = os.readlink(found.name, dir_fd=found.folder)
        archive.addfile(member)
    else:
        fd = os.open(found.name, _READ_FLAGS, dir_fd=found.folder)
        with open(fd, "rb") as file:
            data = file.read(_MAX_BYTES + 1)
        member.size = len(data)
        archive.addfile(member, io.BytesIO(data))


def _lay_out(root: int, tar: tarfile.TarFile, member: tarfile.TarInfo) -> None:
    parent, name = os.path.split(member.name)
    with _folder(root, parent) as folder:
        if member.isdir():
            with contextlib.suppress(FileExistsError):
                os.mkdir(name, 0o700, dir_fd=folder)
        elif member.issym():
            os.symlink(member.linkname, name, dir_fd=folder)
        else:
            source = tar.extractfile(member)
            data = source.read() if source is not None else b""
            write_file(folder, name, data, member.mode | 0o600)
            times = (int(member.mtime * 1e9), int(member.mtime * 1e9))
            os.utime(name, ns=times, dir_fd=folder, follow_symlinks=False)


def fits(archive: bytes, files: list[str]) -> bool:
    """Whether these files can be written again over the archive: plain files in plain folders."""
    with tarfile.open(fileobj=io.BytesIO(archive), mode="r:") as tar:
        kinds = {member.name: member for member in tar}
    folders = {str(parent) for path in files for parent in PurePosixPath(path).parents} - {"."}
    plain = all(path in kinds and kinds[path].isreg() for path in files)
    return plain and all(path in kinds and kinds[path].isdir() for path in folders)


def _parts(path: str) -> list[str]:
    parts = [part for part in path.split("/") if part]
    if ".." in parts or "." in parts:
        raise UsageError(f"a candidate's file may not be called {path!r}")
    return parts


@contextlib.contextmanager
def _folder(root: int, path: str) -> Iterator[int]:
    """A descriptor of a folder below the root, made on the way where it is missing."""
    current = os.dup(root)
    try:
        for part in _parts(path):
            with contextlib.suppress(FileExistsError):
                os.mkdir(part, 0o700, dir_fd=current)
            inner = os.open(part, _FOLDER_FLAGS, dir_fd=current)
            os.close(current)
            current = inner
        yield current
    finally:
        os.close(current)
