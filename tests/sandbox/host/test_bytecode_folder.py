"""Bytecode where an installation has none: kept by our own processes, in a folder of this user."""

from __future__ import annotations

import os
import py_compile
import shutil
import subprocess
import sys
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import ModuleType

import pytest

import assay
from assay.sandbox.host.bytecode_folder import keep_bytecode, with_bytecode
from assay.sandbox.host.zygote_handle import ZygoteHandle
from assay.sandbox.protocol.spawn_messages import Warm

_GIVEN = {"PYTHONDONTWRITEBYTECODE": "1", "LANG": "C"}


@pytest.fixture
def bare_torch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A torch without bytecode, in an environment that forbids to write it."""
    source = tmp_path / "torch" / "__init__.py"
    source.parent.mkdir()
    source.write_text("")
    torch = ModuleType("torch")
    torch.__spec__ = ModuleSpec("torch", None, origin=str(source))
    monkeypatch.setitem(sys.modules, "torch", torch)
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    monkeypatch.setattr(sys, "pycache_prefix", None)
    monkeypatch.setenv("ASSAY_CACHE", str(tmp_path / "cache"))
    return source


@pytest.mark.usefixtures("bare_torch")
def test_a_private_folder_is_used_where_there_is_no_bytecode(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "bytecode"
    assert with_bytecode(_GIVEN) == {"PYTHONPYCACHEPREFIX": str(folder), "LANG": "C"}
    assert folder.stat().st_mode & 0o777 == 0o700


def test_nothing_changes_where_there_is_bytecode(bare_torch: Path) -> None:
    kept = bare_torch.parent / "__pycache__" / f"__init__.{sys.implementation.cache_tag}.pyc"
    kept.parent.mkdir()
    kept.touch()
    assert with_bytecode(_GIVEN) == _GIVEN


@pytest.mark.usefixtures("bare_torch")
def test_nothing_changes_where_python_keeps_it_itself(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    assert with_bytecode({"LANG": "C"}) == {"LANG": "C"}


@pytest.mark.usefixtures("bare_torch")
def test_a_folder_that_others_can_open_or_a_link_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "bytecode"
    folder.mkdir(parents=True)
    folder.chmod(0o770)
    assert with_bytecode(_GIVEN) == _GIVEN
    folder.rmdir()
    (tmp_path / "elsewhere").mkdir(mode=0o700)
    folder.symlink_to(tmp_path / "elsewhere")
    assert with_bytecode(_GIVEN) == _GIVEN


@pytest.mark.usefixtures("bare_torch")
@pytest.mark.skipif(os.getuid() != 0, reason="only root makes a folder of another user")
def test_a_folder_of_another_user_is_not_used(tmp_path: Path) -> None:
    folder = tmp_path / "cache" / "bytecode"
    folder.mkdir(parents=True, mode=0o700)
    os.chown(folder, 12345, 12345)
    assert with_bytecode(_GIVEN) == _GIVEN


def test_what_this_process_was_started_with_goes_on(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", "/somewhere")
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    assert with_bytecode({}) == {
        "PYTHONPYCACHEPREFIX": "/somewhere",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


@pytest.mark.usefixtures("bare_torch")
def test_a_process_of_ours_keeps_it_and_hands_it_on(tmp_path: Path) -> None:
    keep_bytecode()
    folder = str(tmp_path / "cache" / "bytecode")
    assert (sys.pycache_prefix, sys.dont_write_bytecode) == (folder, False)
    assert with_bytecode(_GIVEN) == {"PYTHONPYCACHEPREFIX": folder, "LANG": "C"}


def _kept(folder: Path) -> dict[str, int]:
    return {str(one): one.stat().st_mtime_ns for one in folder.rglob("*.pyc")}


@pytest.mark.exhaustive
def test_a_warm_parent_compiles_nothing_the_second_time(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "pycache_prefix", str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", False)
    found = []
    for _ in range(2):
        zygote = ZygoteHandle(Warm((), (), ((), ()), ()))
        try:
            zygote.hello()
        finally:
            zygote.close()
        found.append(_kept(tmp_path))
    assert any(
        name.endswith(f"torch/__init__.{sys.implementation.cache_tag}.pyc") for name in found[0]
    )
    assert found[0] == found[1]


_FIND_OWN = """
import sys
from importlib.util import cache_from_source
from assay.sandbox.host.bytecode_folder import keep_bytecode
keep_bytecode()
import assay.errors, colorsys
print(assay.errors.__file__, colorsys.__file__)
print(sys.pycache_prefix, sys.dont_write_bytecode)
"""


def _own_bytecode(package: Path, cache: Path) -> list[Path]:
    """A new interpreter that may write no bytecode imports a copy of Assay, beside torch's own."""
    environment = {
        "PYTHONPATH": os.pathsep.join([str(package.parent), *(p for p in sys.path if p)]),
        "PYTHONDONTWRITEBYTECODE": "1",
        "ASSAY_CACHE": str(cache),
        "HOME": str(cache),
    }
    line = [sys.executable, "-c", _FIND_OWN]
    done = subprocess.run(line, env=environment, capture_output=True, text=True, check=True)
    places, settings = done.stdout.splitlines()
    assert places.split()[0] == str(package / "errors.py")
    assert settings == "None True"  # for whatever else is imported nothing changes
    assert not list(package.rglob("*.pyc"))
    return sorted((cache / "bytecode").rglob("*.pyc"))


@pytest.fixture
def own_copy(tmp_path: Path) -> Path:
    """Assay without bytecode, with a torch that has some."""
    copy = tmp_path / "place" / "assay"
    shutil.copytree(Path(assay.__file__).parent, copy, ignore=shutil.ignore_patterns("*.pyc"))
    torch = copy.parent / "torch" / "__init__.py"
    torch.parent.mkdir()
    torch.write_text("")
    py_compile.compile(str(torch))
    return copy


def test_our_own_modules_alone_are_kept_where_torch_has_bytecode(
    tmp_path: Path, own_copy: Path
) -> None:
    kept = _own_bytecode(own_copy, tmp_path / "cache")
    assert [one.name.partition(".")[0] for one in kept] == ["errors"]
    before = kept[0].stat().st_mtime_ns
    assert _own_bytecode(own_copy, tmp_path / "cache") == kept
    assert kept[0].stat().st_mtime_ns == before


def test_a_source_that_changed_is_compiled_anew(tmp_path: Path, own_copy: Path) -> None:
    (kept,) = _own_bytecode(own_copy, tmp_path / "cache")
    before = kept.read_bytes()
    with (own_copy / "errors.py").open("a") as file:
        file.write("\nCHANGED = 1\n")
    _own_bytecode(own_copy, tmp_path / "cache")
    assert kept.read_bytes() != before
