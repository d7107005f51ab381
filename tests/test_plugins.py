"""The loader of plug-ins: ours first, others by entry point, and broken ones by name."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from assay.errors import UsageError
from assay.languages.language import Language
from assay.plugins import Registry, outside_packages
from plugins.installed import install

GROUP = "assay.languages"


@pytest.fixture
def registry(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Registry[Language]:
    points = {
        "outside_c": "outside_language:OutsideLanguage",
        "torch": "outside_language:OutsideLanguage",
        "absent": "no_such_module:Language",
        "renamed": "outside_language:OutsideLanguage",
        "no_language": "outside_reader:OutsideReader",
        "nameless": "outside_language:Nameless",
    }
    install(tmp_path, {GROUP: points, "assay.readers": {"r": "outside_reader:OutsideReader"}})
    damaged = tmp_path / "damaged-1.0.dist-info"
    damaged.mkdir()
    damaged.joinpath("entry_points.txt").write_bytes(b"[assay.languages]\n\xff\xfe = \x00\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    for module in ("outside_language", "outside_reader"):
        monkeypatch.delitem(sys.modules, module, raising=False)
    return Registry(Language, GROUP, {"torch": "assay.languages.torch_language:TorchLanguage"})


def test_another_distribution_adds_one_and_replaces_none_of_ours(
    registry: Registry[Language],
) -> None:
    assert registry.names()[0] == "torch" and "outside_c" in registry.names()
    assert type(registry.get("torch")).__name__ == "TorchLanguage"
    assert registry.get("outside_c").suffixes == (".c",)


@pytest.mark.parametrize(
    ("name", "why"),
    [
        ("absent", "ModuleNotFoundError: No module named 'no_such_module'"),
        ("renamed", "does not carry its name"),
        ("no_language", "does not extend Language"),
        ("nameless", "AttributeError"),
    ],
)
def test_a_broken_one_is_named_with_its_distribution(
    registry: Registry[Language], name: str, why: str
) -> None:
    with pytest.raises(
        UsageError, match=rf"language '{name}' of the distribution assay-outside"
    ) as told:
        registry.get(name)
    assert why in str(told.value) and "\n" not in str(told.value)


def test_where_all_are_asked_a_broken_one_costs_a_warning(
    registry: Registry[Language], caplog: pytest.LogCaptureFixture
) -> None:
    assert [one.name for one in registry.working()] == ["torch", "outside_c"]
    assert "'absent' of the distribution assay-outside cannot be loaded" in caplog.text


def test_an_unknown_one_lists_the_known(registry: Registry[Language]) -> None:
    with pytest.raises(UsageError, match="unknown language 'fortran'; known: torch, outside_c"):
        registry.get("fortran")


def test_packages_of_readers_are_found_without_importing_them(
    registry: Registry[Language], tmp_path: Path
) -> None:
    assert outside_packages("assay.readers") == (str(tmp_path / "outside_reader.py"),)
