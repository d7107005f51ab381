"""The page `docs/architecture.md`, made from the import graph and the floors in pyproject.toml.

    python tests/docs/architecture_page.py    writes the page

The rule: nothing on the page is written by hand, so it cannot differ from the code. Imports that
other imports already imply are left out of the picture; the table lists every one of them.
"""

from __future__ import annotations

import ast
import re
import tomllib
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PACKAGE = ROOT / "src" / "assay"
PAGE = ROOT / "docs" / "architecture.md"
GROUND = {"data", "errors", "python_tree", "termination"}  # imported from everywhere: not drawn

HEAD = """# Architecture

Made by `tests/docs/architecture_page.py` from the import graph; a test compares it with the code.
A room is a folder of `src/assay` or a module beside them. An arrow means "imports". Arrows that
other arrows imply are left out. Every room may import `data`, `errors`, `python_tree` and
`termination`, which are not drawn. `pyproject.toml` holds the floors, and import-linter keeps them.
"""


def rooms() -> dict[str, list[Path]]:
    """The files of each room, by its name."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        room = path.relative_to(PACKAGE).parts[0].removesuffix(".py")
        if room != "__init__":
            found[room].append(path)
    return found


def imports() -> dict[str, set[str]]:
    """Which rooms each room imports."""
    known = rooms()
    named = {
        room: {name for path in paths for name in _imported(path)} for room, paths in known.items()
    }
    return {room: (names & known.keys()) - {room} for room, names in named.items()}


@cache
def parsed(path: Path) -> ast.Module:
    """Parsing all of the package takes seconds."""
    return ast.parse(path.read_text())


def _statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """Those of a body and of every body in it; an import is never inside an expression."""
    for one in body:
        yield one
        for part in (one, *getattr(one, "handlers", ()), *getattr(one, "cases", ())):
            for name in ("body", "orelse", "finalbody"):
                yield from _statements(getattr(part, name, []))


@cache
def _imported(path: Path) -> set[str]:
    found = set()
    for node in _statements(parsed(path).body):
        if isinstance(node, ast.ImportFrom) and node.module == "assay":
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and (node.module or "").startswith("assay."):
            found.add(str(node.module).split(".")[1])
        elif isinstance(node, ast.Import):
            names = [alias.name for alias in node.names if alias.name.startswith("assay.")]
            found |= {name.split(".")[1] for name in names}
    return found


def floors() -> list[list[str]]:
    """The rooms of each floor, from the top, as import-linter keeps them."""
    settings = tomllib.loads((ROOT / "pyproject.toml").read_text())
    contract = settings["tool"]["importlinter"]["contracts"][0]
    known = rooms()
    listed = [re.findall(r"\w+", layer) for layer in contract["layers"]]
    return [present for layer in listed if (present := [name for name in layer if name in known])]


def reduced(edges: dict[str, set[str]]) -> dict[str, set[str]]:
    """The same order with as few arrows as show it."""

    def reached(room: str) -> set[str]:
        found, left = set[str](), [room]
        while left:
            one = left.pop()
            left += edges[one] - found
            found.add(one)
        return found

    return {
        room: {
            one
            for one in below
            if not any(one in reached(other) for other in below if other != one)
        }
        for room, below in edges.items()
    }


def purpose(room: str) -> str:
    """The first sentence that the room says of itself."""
    path = PACKAGE / room / "__init__.py"
    tree = parsed(path if path.exists() else PACKAGE / f"{room}.py")
    first = (ast.get_docstring(tree) or "").split("\n\n")[0].replace("\n", " ")
    return re.split(r"(?<=[.?!]) ", first)[0]


def picture() -> str:
    """The rooms on their floors, as Mermaid draws them."""
    edges = {room: below - GROUND for room, below in imports().items() if room not in GROUND}
    lines = ["```mermaid", "flowchart TD"]
    for number, floor in enumerate(reversed(floors())):
        drawn = [room for room in floor if room not in GROUND]
        if drawn:
            lines += [f'    subgraph floor{number}["floor {number + 1}"]']
            lines += [f'        {room}["{room}"]' for room in drawn]
            lines += ["    end"]
    for room, below in sorted(reduced(edges).items()):
        lines += [f"    {room} --> {one}" for one in sorted(below)]
    return "\n".join([*lines, "```", ""])


def table() -> str:
    """Every room with its purpose and everything it imports."""
    edges = imports()
    lines = ["| floor | room | purpose | imports |", "|---|---|---|---|"]
    for number, floor in reversed(list(enumerate(reversed(floors()), 1))):
        for room in floor:
            below = ", ".join(f"`{one}`" for one in sorted(edges[room])) or "nothing"
            lines.append(f"| {number} | `{room}` | {purpose(room)} | {below} |")
    return "\n".join([*lines, ""])


def page() -> str:
    """The whole page."""
    return "\n".join([HEAD, picture(), table()])


if __name__ == "__main__":
    PAGE.write_text(page())
