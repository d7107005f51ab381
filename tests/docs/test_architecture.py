"""The picture of the architecture is that of the code."""

from __future__ import annotations

import ast
from collections import Counter

import pytest

from docs.architecture_page import (
    GROUND,
    PACKAGE,
    PAGE,
    floors,
    imports,
    page,
    parsed,
    reduced,
    rooms,
)


@pytest.fixture(scope="module", autouse=True)
def _parsed_once() -> None:
    """The tests of this file run in one process, which parses the package once for all of them."""
    for paths in rooms().values():
        for path in paths:
            parsed(path)


def test_the_page_is_what_the_code_says() -> None:
    assert PAGE.read_text() == page(), "run: python tests/docs/architecture_page.py"


def test_every_room_stands_on_one_floor() -> None:
    listed = Counter(room for floor in floors() for room in floor)
    assert set(listed) == set(rooms()) and set(listed.values()) == {1}


def test_arrows_of_the_picture_point_down() -> None:
    floor_of = {room: number for number, floor in enumerate(floors()) for room in floor}
    drawn = {room: below - GROUND for room, below in imports().items()}
    upward = [
        (room, one)
        for room, below in reduced(drawn).items()
        for one in below
        if floor_of[one] <= floor_of[room]
    ]
    assert upward == []


def test_no_arrow_is_drawn_that_others_imply() -> None:
    edges = {"a": {"b", "c"}, "b": {"c"}, "c": set[str]()}
    assert reduced(edges) == {"a": {"b"}, "b": {"c"}, "c": set()}


def test_no_folder_holds_more_files_than_a_person_reads() -> None:
    folders = Counter(path.parent for path in PACKAGE.rglob("*.py") if path.name != "__init__.py")
    assert {str(f.relative_to(PACKAGE)): n for f, n in folders.items() if n > 21} == {}


def test_names_of_modules_and_classes_are_unique() -> None:
    paths = [path for path in PACKAGE.rglob("*.py") if "native" not in path.parts]
    modules = Counter(path.stem for path in paths if path.stem != "__init__")
    classes = Counter(
        node.name for path in paths for node in parsed(path).body if isinstance(node, ast.ClassDef)
    )
    assert [name for name, count in (modules + classes).items() if count > 1] == []
