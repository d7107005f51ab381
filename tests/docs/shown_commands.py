"""Running and parsing the commands that pages show.

The rule: a command runs in a folder that holds the examples and the files of its page, as a reader
would have it; a page with a `pyproject.toml` is an installed distribution while it runs.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import os
import re
import shutil
import subprocess
import sys
import tomllib
from functools import cache
from pathlib import Path
from unittest import mock

import typer

from assay.app.main import app, main
from assay.data.published.recheck import ClaimMark
from assay.data.verdict import Status
from docs.page_blocks import ROOT, Block, ShownCommand
from plugins.installed import write_metadata

TIMEOUT_S = 600
COLUMNS = "200"
# They judge nothing and need no process of their own, in which they would import torch anew.
SHORT = ("tasks", "inspect", "limits", "rubric")
_MAKE_TARGETS = set(re.findall(r"^([a-z-]+):", (ROOT / "Makefile").read_text(), re.MULTILINE))
_REFUSED = {status.value for status in Status} - {Status.ACCEPTED.value}


def laid_out(folder: Path, page: list[Block]) -> Path:
    """A folder as the page's reader has it."""
    shutil.copytree(ROOT / "examples", folder / "examples")
    for block in page:
        if block.file:
            path = folder / block.file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(block.text)
    project = folder / "pyproject.toml"
    if project.exists():
        _install(folder, tomllib.loads(project.read_text())["project"])
    return folder


def _install(folder: Path, project: dict[str, object]) -> None:
    """What an installer would leave: the modules are importable and their metadata is there."""
    site = folder / "site"
    site.mkdir()
    for module in folder.glob("*.py"):
        shutil.move(module, site / module.name)
    write_metadata(site, str(project["name"]), project["entry-points"])  # type: ignore[arg-type]


def run(command: ShownCommand, folder: Path) -> subprocess.CompletedProcess[str]:
    """Run it; `make` at the root of the tree."""
    installed = (folder / "site").exists()
    if command.words[0] == "assay" and command.words[1] in SHORT and not installed:
        return _called(command, folder)
    binaries = Path(sys.executable).parent
    imported = [str(folder / "site"), *filter(None, [os.environ.get("PYTHONPATH")])]
    environment = {
        **os.environ,
        "PATH": f"{binaries}:{os.environ['PATH']}",
        "PYTHONPATH": os.pathsep.join(imported),
        "COLUMNS": COLUMNS,
    }
    return subprocess.run(
        command.words,
        cwd=ROOT if command.words[0] == "make" else folder,
        env=environment,
        capture_output=True,
        text=True,
        check=False,
        timeout=TIMEOUT_S,
    )


def _called(command: ShownCommand, folder: Path) -> subprocess.CompletedProcess[str]:
    """Its function, in this process."""
    out, errors = io.StringIO(), io.StringIO()
    with (
        contextlib.chdir(folder),
        contextlib.redirect_stdout(out),
        contextlib.redirect_stderr(errors),
        mock.patch.dict(os.environ, {"COLUMNS": COLUMNS}),
    ):
        code = main(command.words[1:])
    return subprocess.CompletedProcess(command.words, code, out.getvalue(), errors.getvalue())


def statuses(lines: tuple[str, ...] | list[str]) -> list[str]:
    """The statuses in some output, in order."""
    known = "|".join(status.value for status in Status)
    return re.findall(rf"^(?:\S+ +)?({known})\b(?! of )", "\n".join(lines), re.MULTILINE)


def expected_code(command: ShownCommand) -> int:
    """1 where the page shows a candidate that is not accepted or an impossible claim, else 0."""
    if any(line.startswith(ClaimMark.IMPOSSIBLE.value) for line in command.output):
        return 1
    return 1 if _REFUSED & set(statuses(command.output)) else 0


def wrong_with(words: tuple[str, ...], complete: bool) -> str | None:
    """What is wrong with a command that is not run; None where nothing is.

    `complete`: its arguments are there too, not only the flags that a sentence names.
    """
    program, *rest = words
    if program == "assay":
        return _wrong_with_assay(rest, complete)
    if program == "make":
        targets = {word for word in rest if "=" not in word}
        return f"no such target: {targets}" if targets - _MAKE_TARGETS else None
    return _wrong_with_python(rest)


@cache
def _assay() -> typer.main.TyperGroup:
    """The commands of Assay; making them takes longer than parsing a line."""
    return typer.main.get_command(app)  # type: ignore[return-value]


def _wrong_with_assay(rest: list[str], complete: bool) -> str | None:
    group = _assay()
    with group.make_context("assay", [], resilient_parsing=True) as context:
        if rest[0].startswith("--"):
            return None if rest[0] in _flags(group) | {"--install-completion"} else f"no {rest[0]}"
        command = group.get_command(context, rest[0])  # type: ignore[attr-defined]
        if command is None:
            return f"no such command: {rest[0]}"
        if complete:
            try:
                command.make_context(rest[0], rest[1:], parent=context)
            except typer.TyperException as error:
                return str(error.format_message())
            return None
        given = {word.partition("=")[0] for word in rest[1:] if word.startswith("--")}
        return f"no such flag: {given - _flags(command)}" if given - _flags(command) else None


def _flags(command: object) -> set[str]:
    parameters = command.params  # type: ignore[attr-defined]
    return {"--help", "-h"} | {
        option for one in parameters for option in (*one.opts, *one.secondary_opts)
    }


def _wrong_with_python(rest: list[str]) -> str | None:
    """Of a script: it is there, and its text holds every flag. Of a module: it can be found."""
    if rest[0] == "-m":
        return None if importlib.util.find_spec(rest[1]) else f"no module {rest[1]}"
    if rest[0].startswith("-"):
        return None
    script = ROOT / rest[0]
    if not script.exists():
        return f"no file {rest[0]}"
    given = {word for word in rest[1:] if word.startswith("--")}
    unknown = {flag for flag in given if f'"{flag}"' not in script.read_text()}
    return f"no such flag: {unknown}" if unknown else None
