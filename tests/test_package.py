"""The package as a whole: what it exports and imports, and that its papers are in order."""

from __future__ import annotations

import importlib
import inspect
import pkgutil
import re
import subprocess
import sys
import tomllib
from enum import Enum
from pathlib import Path

import pytest

import assay
from assay import data
from assay.data.record import Record

ROOT = Path(__file__).parents[1]
SOURCES = sorted((ROOT / "src").rglob("*.py"))
PAPERS = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
NOUNS = sorted(
    module.name.removeprefix("assay.data.")
    for module in pkgutil.walk_packages(data.__path__, "assay.data.")
    if not module.ispkg and module.name != "assay.data.record"
)


def members(noun: str) -> list[type]:
    """The records and enums that a noun's file defines itself."""
    module = importlib.import_module(f"assay.data.{noun}")
    return [
        member
        for _, member in inspect.getmembers(module, inspect.isclass)
        if member.__module__ == module.__name__
    ]


def test_what_is_exported_is_there() -> None:
    names = """AssayError HostError Judge Level Settings Status TaskError Track UsageError Verdict
    __version__ evaluate evaluate_many"""
    assert assay.__all__ == names.split()
    importlib.import_module("assay.pipeline")  # no module may take the function's name
    assert inspect.isfunction(assay.evaluate)
    assert all(getattr(assay, name) is not None for name in assay.__all__)
    assert set(assay.__all__) <= set(dir(assay))
    with pytest.raises(AttributeError, match="no attribute 'judge_it'"):
        assay.judge_it  # noqa: B018


def test_evaluating_needs_no_torch_in_the_callers_process() -> None:
    code = "import sys, assay; assay.evaluate_many; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert {"torch", "numpy", "scipy"} & set(loaded.stdout.split()) == set()


def test_importing_the_package_alone_imports_next_to_nothing() -> None:
    code = "import sys, assay; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert {"pydantic", "assay.errors", "assay.pipeline"} & set(loaded.stdout.split()) == set()


def test_the_nouns_import_without_torch_or_numpy() -> None:
    imports = "; ".join(f"import assay.data.{noun}" for noun in NOUNS)
    code = f"import sys, assay, assay.errors; {imports}; print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], check=True, capture_output=True, text=True
    )
    assert {"torch", "numpy"} & set(loaded.stdout.split()) == set()


def test_every_module_says_what_it_is() -> None:
    silent = [
        str(path.relative_to(ROOT))
        for path in SOURCES
        if not path.read_text().lstrip().startswith(('"""', 'r"""'))
    ]
    assert silent == []


@pytest.mark.parametrize("noun", NOUNS)
def test_every_noun_has_a_page_that_names_all_it_holds(noun: str) -> None:
    page = (ROOT / "docs" / f"{noun.rpartition('.')[2]}.md").read_text()
    missing = []
    for member in members(noun):
        if issubclass(member, Enum):
            missing += [value.value for value in member if f"`{value.value}`" not in page]
        elif issubclass(member, Record) and not noun.endswith("observation"):
            missing += [name for name in member.model_fields if f"`{name}`" not in page]
    assert missing == []


def test_every_kind_of_observation_is_on_its_page() -> None:
    page = (ROOT / "docs" / "observation.md").read_text()
    kinds = [
        member.model_fields["kind"].default
        for member in members("observations.observation")
        if issubclass(member, Record) and "kind" in member.model_fields
    ]
    assert kinds and [kind for kind in kinds if f"`{kind}`" not in page] == []


def test_no_paper_or_source_names_a_private_place_or_leaves_work_undone() -> None:
    private = re.compile(r"(?<![\w.~])/(?:work|home|root|Users)/\w")
    undone = re.compile(r"\b(?:TODO|FIXME|XXX|HACK)\b")
    found = [
        f"{path.relative_to(ROOT)}:{number}"
        for path in [*SOURCES, *PAPERS, *sorted((ROOT / "examples").rglob("*__*.*"))]
        for number, line in enumerate(path.read_text(errors="replace").splitlines(), 1)
        if private.search(line) or undone.search(line)
    ]
    assert found == []


def test_every_dependency_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    pins = {
        line.partition("==")[0].lower()
        for line in (ROOT / "constraints.txt").read_text().splitlines()
        if "==" in line
    }
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["cpu"], *extras["dev"]]
    names = {re.split(r"[\s<>=;\[]", requirement)[0].lower() for requirement in wanted}
    assert names - pins == set()


def test_pins_hold_on_every_machine() -> None:
    lines = (ROOT / "constraints.txt").read_text().splitlines()
    pins = [line for line in lines if line and not line.startswith("#")]
    assert all(re.fullmatch(r"[\w.-]+==[\w.]+", pin) for pin in pins), "no markers, no +local"


def test_the_licence_is_whole() -> None:
    text = (ROOT / "LICENSE").read_text()
    assert "Apache License" in text and "END OF TERMS AND CONDITIONS" in text


def test_ci_runs_what_everyone_runs() -> None:
    assert "exec make test\n" in (ROOT / ".ci" / "run").read_text()
