"""A hostile folder is read without following, waiting or drowning, and laid out again alike."""

from __future__ import annotations

import contextlib
import io
import os
import socket
import tarfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.sandbox.host import scratch
from support.confined import run_confined


@pytest.fixture
def folders(tmp_path: Path) -> Iterator[tuple[Path, Path]]:
    first, second = tmp_path / "first", tmp_path / "second"
    first.mkdir()
    second.mkdir()
    yield first, second


def _open(path: Path) -> int:
    return os.open(path, os.O_RDONLY | os.O_DIRECTORY)


def _names(archive: bytes) -> list[str]:
    with tarfile.open(fileobj=io.BytesIO(archive)) as tar:
        return tar.getnames()


def _round_trip(first: Path, second: Path) -> bytes:
    archive = scratch.snapshot(_open(first))
    scratch.restore(_open(second), archive)
    return archive


def test_files_modes_and_times_come_back(folders: tuple[Path, Path]) -> None:
    first, second = folders
    (first / "a" / "b").mkdir(parents=True)
    (first / "a" / "b" / "tool").write_bytes(b"\0binary\xff")
    (first / "a" / "b" / "tool").chmod(0o755)
    os.utime(first / "a" / "b" / "tool", ns=(10**18, 1_234_567_890_123_456_789))
    (first / "a" / "empty").write_bytes(b"")
    _round_trip(first, second)
    found = (second / "a" / "b" / "tool").stat()
    assert (second / "a" / "b" / "tool").read_bytes() == b"\0binary\xff"
    assert found.st_mode & 0o777 == 0o755
    assert abs(found.st_mtime_ns - 1_234_567_890_123_456_789) < 1000
    assert (second / "a" / "empty").read_bytes() == b""


def test_the_order_of_changes_is_kept(folders: tuple[Path, Path]) -> None:
    """Ninja builds again whatever is older than its source."""
    first, second = folders
    for number in range(20):
        (first / f"{number}").write_text("")
        moment = 1_700_000_000_000_000_000 + 1000 * number
        os.utime(first / f"{number}", ns=(moment, moment))
    _round_trip(first, second)
    times = [(second / f"{number}").stat().st_mtime_ns for number in range(20)]
    assert times == sorted(times) and len(set(times)) == 20


def test_links_stay_links_and_are_never_followed(folders: tuple[Path, Path]) -> None:
    first, second = folders
    outside = first.parent / "secret"
    outside.mkdir()
    (outside / "answer").write_text("SECRET")
    (first / "to file").symlink_to(outside / "answer")
    (first / "to folder").symlink_to(outside)
    (first / "loop").symlink_to("loop")
    (first / "dangling").symlink_to("/nowhere")
    archive = _round_trip(first, second)
    assert b"SECRET" not in archive
    assert os.readlink(second / "to file") == str(outside / "answer")
    assert os.readlink(second / "to folder") == str(outside)
    assert sorted(os.listdir(second)) == ["dangling", "loop", "to file", "to folder"]


def test_pipes_and_sockets_are_left_out_without_waiting(folders: tuple[Path, Path]) -> None:
    first, second = folders
    os.mkfifo(first / "pipe")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(str(first / "socket"))
        (first / "file").write_text("x")
        archive = _round_trip(first, second)
    assert _names(archive) == ["file"]


def test_names_that_are_no_text_come_back(folders: tuple[Path, Path]) -> None:
    first, second = folders
    names = sorted([b"\xff\xfe", b"line\nbreak", b"-rf", "größe".encode(), b"x" * 255])
    for name in names:
        Path(os.fsdecode(os.fsencode(first) + b"/" + name)).write_bytes(name)
    _round_trip(first, second)
    assert sorted(os.listdir(os.fsencode(second))) == names


def test_too_many_files_are_too_much(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "_MAX_FILES", 10)
    for number in range(12):
        (folders[0] / f"{number}").write_text("")
    with pytest.raises(scratch.Unkeepable):
        scratch.snapshot(_open(folders[0]))


def test_a_sparse_giant_is_too_much_at_once(folders: tuple[Path, Path]) -> None:
    with open(folders[0] / "giant", "wb") as file:
        file.truncate(1 << 40)
    with pytest.raises(scratch.Unkeepable):
        scratch.snapshot(_open(folders[0]))


def test_many_files_are_weighed_together(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scratch, "_MAX_BYTES", 1000)
    for number in range(5):
        (folders[0] / f"{number}").write_bytes(b"x" * 300)
    with pytest.raises(scratch.Unkeepable):
        scratch.snapshot(_open(folders[0]))


def test_a_deep_tree_is_too_much(folders: tuple[Path, Path]) -> None:
    folder = _open(folders[0])
    for _ in range(60):
        os.mkdir("d", dir_fd=folder)
        inner = os.open("d", os.O_RDONLY | os.O_DIRECTORY, dir_fd=folder)
        os.close(folder)
        folder = inner
    os.close(folder)
    with pytest.raises(scratch.Unkeepable):
        scratch.snapshot(_open(folders[0]))


def test_descriptors_are_given_back(folders: tuple[Path, Path]) -> None:
    (folders[0] / "a" / "b").mkdir(parents=True)
    (folders[0] / "a" / "b" / "file").write_text("x")
    first, second = _open(folders[0]), _open(folders[1])
    before = len(os.listdir("/proc/self/fd"))
    scratch.restore(second, scratch.snapshot(first))
    assert len(os.listdir("/proc/self/fd")) == before


def test_a_file_that_may_not_be_read_is_no_failure_of_ours() -> None:
    """A candidate may take its own rights away; a judge without privileges meets that."""
    answer = run_confined(
        """
        import tempfile
        from assay.sandbox.host import scratch
        os.chdir("/")
        os.umask(0o077)
        if os.getuid() == 0:
            os.setgroups([])
            os.setgid(65534)
            os.setuid(65534)
        with tempfile.TemporaryDirectory(dir="/tmp") as folder:
            open(f"{folder}/closed", "w").close()
            os.chmod(f"{folder}/closed", 0)
            os.mkdir(f"{folder}/shut", 0)
            try:
                scratch.snapshot(os.open(folder, os.O_RDONLY))
                answer = "taken"
            except scratch.Unkeepable:
                answer = "refused"
            finally:
                os.chmod(f"{folder}/shut", 0o700)
        """
    )
    assert answer in ("taken", "refused")


@pytest.mark.parametrize("path", ["../escaped", "a/../../escaped", "/../escaped"])
def test_nothing_is_written_above_the_folder(folders: tuple[Path, Path], path: str) -> None:
    root = _open(folders[0])
    with contextlib.suppress(UsageError):  # refusing is right, staying inside is too
        scratch.write_file(root, path, b"x")
    assert sorted(os.listdir(folders[0].parent)) == ["first", "second"]


def test_writing_does_not_follow_links(folders: tuple[Path, Path]) -> None:
    first, second = folders
    (first / "folder").symlink_to(second)
    (first / "file").symlink_to(second / "file")
    for path in ("folder/file", "file"):
        with pytest.raises(OSError):
            scratch.write_file(_open(first), path, b"x")
    assert os.listdir(second) == []


def _archive_of(folder: Path, files: dict[str, str]) -> bytes:
    for name, text in files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_text(text)
    return scratch.snapshot(_open(folder))


def test_archives_join_below_one_folder(folders: tuple[Path, Path], tmp_path: Path) -> None:
    one = _archive_of(folders[0], {"kernel.py": "mine", "made/a": "1"})
    other = _archive_of(folders[1], {"kernel.py": "theirs", "note": "x", "made/b/c": "2"})
    whole = scratch.joined(one, [b"", other], "made")
    assert _names(whole) == ["kernel.py", "made", "made/a", "made/b", "made/b/c"]
    target = tmp_path / "target"
    target.mkdir()
    scratch.restore(_open(target), whole)
    assert (target / "kernel.py").read_text() == "mine"
    assert (target / "made/b/c").read_text() == "2"


def test_nothing_is_joined_below_a_file(folders: tuple[Path, Path]) -> None:
    one = _archive_of(folders[0], {"made": "a file"})
    other = _archive_of(folders[1], {"made/b": "2"})
    assert _names(scratch.joined(one, [other], "made")) == ["made"]


def test_beyond_the_bounds_nothing_is_joined(
    folders: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    one = _archive_of(folders[0], {"made/a": "1"})
    other = _archive_of(folders[1], {"made/b": "2" * 100})
    monkeypatch.setattr(scratch, "_MAX_BYTES", 50)
    assert scratch.joined(one, [other], "made") == one


def test_what_is_missing_is_added_and_nothing_is_written_over(
    folders: tuple[Path, Path],
) -> None:
    first, second = folders
    (first / "home/triton/key").mkdir(parents=True)
    (first / "home/triton/key/one").write_text("new")
    (first / "home/triton/key/two").write_text("new")
    (first / "home/note").write_text("new")
    (second / "home/triton/key").mkdir(parents=True)
    (second / "home/triton/key/one").write_text("old")
    os.symlink("/etc/passwd", second / "home/triton/linked")
    scratch.add_missing(_open(second), scratch.snapshot(_open(first)), "home/triton")
    assert (second / "home/triton/key/one").read_text() == "old"
    assert (second / "home/triton/key/two").read_text() == "new"
    assert not (second / "home/note").exists()


def test_a_new_file_follows_no_link_and_waits_for_nobody(folders: tuple[Path, Path]) -> None:
    root = _open(folders[0])
    scratch.write_new(root, "compile/0.o", b"object")
    assert (folders[0] / "compile/0.o").read_bytes() == b"object"
    os.mkfifo(folders[0] / "compile/1.o.part")
    os.symlink("/tmp", folders[0] / "elsewhere")
    for path in ("compile/1.o", "elsewhere/x"):
        with pytest.raises(OSError, match=r"."):
            scratch.write_new(root, path, b"object")
    assert scratch.exists(root, "compile/0.o") and not scratch.exists(root, "elsewhere/x")
    scratch.remove_folder(root, "compile")
    assert not (folders[0] / "compile").exists()
