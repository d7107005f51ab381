"""Archives of hostile people: nothing outside the folder is touched, and the line says why."""

from __future__ import annotations

import gzip
import hashlib
import io
import tarfile
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.store.bundles.archive_reader import ArchiveCaps, unpacked
from assay.store.bundles.archive_writer import ArchiveWriter
from bundled_run import packed

PLAIN = "run.json"


def plain(name: str = PLAIN) -> tarfile.TarInfo:
    return tarfile.TarInfo(name)


def of_type(kind: bytes, target: str = "") -> tarfile.TarInfo:
    member = plain()
    member.type, member.linkname = kind, target
    return member


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    made = tmp_path / "unpacked"
    made.mkdir()
    return made


def test_what_was_written_is_read(tmp_path: Path, folder: Path) -> None:
    out = io.BytesIO()
    writer = ArchiveWriter(out)
    writer.add("run.json", "a" * 1300)
    writer.add(f"judgements/{'0' * 16}.json", "é")
    writer.close()
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(out.getvalue())
    found = unpacked(archive, folder)
    assert [one.path for one in writer.files] == list(found)
    for listed in writer.files:
        read = found[listed.path]
        assert hashlib.sha256(read.path.read_bytes()).hexdigest() == read.sha256 == listed.sha256
        assert read.bytes == listed.bytes
    assert {one.name for one in folder.iterdir()} == {"000000", "000001"}


@pytest.mark.parametrize(
    "name",
    [
        "../run.json",
        "/etc/passwd",
        "sources/0123456789abcdef/../../x",
        "sources/0123456789abcdef/00_a/b",
        "./run.json",
        "run.json/",
        "judgements/../run.json",
        "Run.json",
        "-rf.json",
        "run.json\x01",
        "ſ.json",
        "run.sh",
    ],
)
def test_a_name_that_no_bundle_has_is_refused(tmp_path: Path, folder: Path, name: str) -> None:
    archive = packed(tmp_path / "a.tar.gz", [(plain(name), b"x")])
    with pytest.raises(UsageError, match=r"no file of a bundle is called|no plain file"):
        unpacked(archive, folder)
    assert list(folder.iterdir()) == [] and sorted(tmp_path.iterdir()) == [archive, folder]


@pytest.mark.parametrize(
    "member",
    [
        of_type(tarfile.SYMTYPE, "/etc/passwd"),
        of_type(tarfile.LNKTYPE, "/etc/passwd"),
        of_type(tarfile.CHRTYPE),
        of_type(tarfile.FIFOTYPE),
        of_type(tarfile.DIRTYPE),
        of_type(tarfile.GNUTYPE_SPARSE),
    ],
)
def test_only_plain_files_are_taken(tmp_path: Path, folder: Path, member: tarfile.TarInfo) -> None:
    with pytest.raises(UsageError, match="is no plain file"):
        unpacked(packed(tmp_path / "a.tar.gz", [(member, b"")]), folder)
    assert list(folder.iterdir()) == []


@pytest.mark.parametrize("form", [tarfile.PAX_FORMAT, tarfile.GNU_FORMAT])
def test_extended_headers_mean_nothing(tmp_path: Path, folder: Path, form: int) -> None:
    long = plain("run.json" + "a" * 300)
    with pytest.raises(UsageError, match="is no plain file"):
        unpacked(packed(tmp_path / "a.tar.gz", [(long, b"x")], form), folder)


def test_a_name_twice_is_refused(tmp_path: Path, folder: Path) -> None:
    archive = packed(tmp_path / "a.tar.gz", [(plain(), b"1"), (plain(), b"2")])
    with pytest.raises(UsageError, match="twice"):
        unpacked(archive, folder)


@pytest.mark.parametrize(
    ("caps", "why"),
    [
        (ArchiveCaps(file_bytes=100), "has 5000 bytes"),
        (ArchiveCaps(files=1), "more than 1 files"),
        (ArchiveCaps(total_bytes=4096), "unpacks to more"),
        (ArchiveCaps(free_bytes=0, expansion=1), "unpacks to more"),
    ],
)
def test_sizes_are_capped(tmp_path: Path, folder: Path, caps: ArchiveCaps, why: str) -> None:
    given = [(plain(f"{letter}.json"), b"0" * 5000) for letter in "ab"]
    with pytest.raises(UsageError, match=why):
        unpacked(packed(tmp_path / "a.tar.gz", given), folder, caps)


def test_a_bomb_is_not_unpacked(tmp_path: Path, folder: Path) -> None:
    archive = tmp_path / "a.tar.gz"
    member = plain()
    member.size = 16 * 2**20
    archive.write_bytes(gzip.compress(member.tobuf(tarfile.USTAR_FORMAT) + bytes(member.size), 9))
    with pytest.raises(UsageError, match="unpacks to more"):
        unpacked(archive, folder, ArchiveCaps(free_bytes=2**21))
    assert sum(one.stat().st_size for one in folder.iterdir()) < 6 * 2**20


def test_a_truncated_archive_is_called_that(tmp_path: Path, folder: Path) -> None:
    whole = packed(tmp_path / "a.tar.gz", [(plain(), bytes(range(256)) * 40)]).read_bytes()
    for number, length in enumerate((len(whole) - 9, len(whole) // 2, 20)):
        part = tmp_path / f"{length}.tar.gz"
        part.write_bytes(whole[:length])
        (folder / str(number)).mkdir()
        with pytest.raises(UsageError, match="truncated"):
            unpacked(part, folder / str(number))


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (b"", "truncated"),
        (b"hello", "no gzip archive"),
        (gzip.compress(b"hello" * 500), "no tar archive"),
        (gzip.compress(b""), "truncated"),
        (gzip.compress(bytes(1024)) + b"more", "no gzip archive"),
        (gzip.compress(bytes(1024) + b"more" + bytes(508)), "follows the end"),
        (gzip.compress(b"run.json".ljust(124, b"\0") + b"\xff" * 12 + bytes(376)), "no tar"),
    ],
    ids=("empty", "text", "no_tar", "nothing", "more_after_gzip", "more_after_tar", "no_size"),
)
def test_what_is_no_archive_is_one_line(
    tmp_path: Path, folder: Path, data: bytes, why: str
) -> None:
    archive = tmp_path / "a.tar.gz"
    archive.write_bytes(data)
    with pytest.raises(UsageError, match=why):
        unpacked(archive, folder)


def test_a_negative_size_is_refused(tmp_path: Path, folder: Path) -> None:
    member = plain()
    member.size = -512
    archive = tmp_path / "a.tar.gz"
    header = member.tobuf(tarfile.GNU_FORMAT)
    archive.write_bytes(gzip.compress(header + bytes(2048)))
    with pytest.raises(UsageError, match="-512 bytes"):
        unpacked(archive, folder)


def test_no_such_file(tmp_path: Path, folder: Path) -> None:
    with pytest.raises(UsageError, match="cannot read"):
        unpacked(tmp_path / "none.tar.gz", folder)
