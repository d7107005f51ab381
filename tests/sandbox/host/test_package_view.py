"""Which packages a sandbox shows, of folders as pip, Debian and editable installs make them."""

from __future__ import annotations

from pathlib import Path

import pytest

from assay.sandbox.host.installed_packages import import_name, installed
from assay.sandbox.host.package_view import PackageView, package_folders, package_view


def _wheel(site: Path, name: str, entries: tuple[str, ...], requires: tuple[str, ...] = ()) -> None:
    record = site / f"{name}-1.0.dist-info"
    record.mkdir(parents=True)
    files = []
    for entry in entries:
        place = site / entry
        if "." in entry and not entry.endswith(".libs"):
            place.write_text("")
            files.append(entry)
        else:
            place.mkdir()
            (place / "__init__.py").write_text("")
            files.append(f"{entry}/__init__.py")
    lines = [f"{file},sha256=0,1" for file in (*files, f"{record.name}/METADATA", "../bin/x")]
    (record / "RECORD").write_text("\n".join(lines))
    needs = "".join(f"Requires-Dist: {one}\n" for one in requires)
    (record / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {name}\n{needs}")


@pytest.fixture
def prefix(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """An interpreter's folder whose packages are on the path, and another's that are not."""
    site = tmp_path / "env" / "lib" / "python3.11" / "site-packages"
    _wheel(site, "torch", ("torch", "functorch"), ("sympy>=1.1", "optional; extra == 'x'"))
    _wheel(site, "sympy", ("sympy", "isympy.py"), ("mpmath<2",))
    _wheel(site, "mpmath", ("mpmath",))
    _wheel(site, "numpy", ("numpy", "numpy.libs"))
    _wheel(site, "scipy", ("scipy", "scipy.libs"), ("numpy",))
    _wheel(site, "cupy_cuda12x", ("cupy", "cupyx"), ("fastrlock",))
    _wheel(site, "fastrlock", ("fastrlock",))
    _wheel(site, "optional", ("optional",))
    (site / "unrecorded").mkdir()
    (site / "__pycache__").mkdir()
    other = tmp_path / "env" / "lib" / "python3" / "dist-packages"
    (other / "scipy").mkdir(parents=True)
    monkeypatch.setattr("sys.path", [str(site)])
    installed.cache_clear()
    return tmp_path / "env"


def _view(prefix: Path, *names: str) -> tuple[PackageView, set[str]]:
    view = package_view(names, (str(prefix),))
    return view, {Path(place).name for place in view.shown if not place.endswith("-info")}


def test_torch_and_numpy_are_shown_with_what_they_require_and_nothing_else(prefix: Path) -> None:
    view, shown = _view(prefix)
    assert shown == {
        "torch", "functorch", "sympy", "isympy.py", "mpmath", "numpy", "numpy.libs"
    }  # fmt: skip
    assert set(view.hidden) == {"scipy", "cupy", "cupyx", "fastrlock", "optional", "unrecorded"}


def test_a_package_is_named_by_what_is_imported_whatever_distribution_it_is(prefix: Path) -> None:
    view, shown = _view(prefix, "cupy", "unrecorded")
    assert {"cupy", "cupyx", "fastrlock", "unrecorded"} <= shown
    assert set(view.hidden) == {"scipy", "optional"}
    assert {"scipy", "scipy.libs"} <= _view(prefix, "scipy")[1]


def test_folders_that_are_not_on_the_path_are_emptied(prefix: Path) -> None:
    view, _ = _view(prefix, "scipy")
    assert str(prefix / "lib/python3/dist-packages") in view.folders
    assert not any("dist-packages" in place for place in view.shown)


def test_debian_records_name_their_modules(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    site = tmp_path / "usr" / "lib" / "python3" / "dist-packages"
    record = site / "numpy-1.24.egg-info"
    record.mkdir(parents=True)
    (record / "top_level.txt").write_text("numpy\n")
    (record / "PKG-INFO").write_text("Metadata-Version: 1.2\nName: numpy\n")
    for name in ("numpy", "scipy"):
        (site / name).mkdir()
    monkeypatch.setattr("sys.path", [str(site)])
    view, shown = _view(tmp_path / "usr")
    assert shown == {"numpy"} and view.hidden == ("scipy",)
    assert str(record) in view.shown


def test_the_users_own_site_is_a_package_folder(tmp_path: Path) -> None:
    site = tmp_path / ".local" / "lib" / "python3.11" / "site-packages"
    site.mkdir(parents=True)
    assert package_folders((str(site),)) == (str(site),)


def test_a_folder_behind_a_link_is_known_by_every_path_that_a_sandbox_has_it_under(
    prefix: Path,
) -> None:
    (prefix / "lib64").symlink_to("lib")
    aliased = prefix.parent / "alias"
    aliased.symlink_to(prefix.parent)
    found = package_folders((str(prefix), str(aliased / "env")))
    assert str(prefix / "lib/python3.11/site-packages") in found
    assert str(aliased / "env/lib/python3.11/site-packages") in found
    assert not any("lib64" in folder for folder in found)


def test_an_editable_install_that_is_named_is_shown_where_it_lies(
    prefix: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    package = tmp_path / "work" / "src" / "edited"
    package.mkdir(parents=True)
    (package / "__init__.py").write_text("")
    (package.parent / "secret.txt").write_text("")
    site = prefix / "lib" / "python3.11" / "site-packages"
    monkeypatch.setattr("sys.path", [str(site), str(package.parent)])
    assert str(package) not in package_view((), (str(prefix),)).beside
    assert str(package) in package_view(("edited",), (str(prefix),)).beside


@pytest.mark.parametrize(
    ("entry", "name"),
    [
        ("scipy", "scipy"),
        ("six.py", "six"),
        ("_cffi_backend.cpython-311-x86_64-linux-gnu.so", "_cffi_backend"),
        ("numpy.libs", None),
        ("torch-2.0.dist-info", None),
        ("__pycache__", None),
        ("some.pth", None),
    ],
)
def test_what_an_entry_is_imported_as(entry: str, name: str | None) -> None:
    assert import_name(entry) == name
