"""Pages are true: links lead somewhere, and every command shown runs or parses."""

from __future__ import annotations

import random
import re
from pathlib import Path

import pytest
import typer
from _pytest.mark import ParameterSet

from assay.app.main import app
from assay.data.settings import Level
from assay.exam.workloads.workload_sweep import SWEEPS
from corpus_sample import commit_seed
from docs.page_blocks import (
    PAGES,
    Block,
    ShownCommand,
    anchors,
    blocks,
    console_commands,
    inline_commands,
    links,
    listed_commands,
    page_name,
    program_words,
)
from docs.shown_commands import expected_code, laid_out, run, statuses, wrong_with

WITH_COMMANDS = [page for page in PAGES if console_commands(page.read_text())]
FIRST_READ = "README.md"


def pages_to_run() -> list[ParameterSet]:
    """What a newcomer reads first and one other page, drawn by the commit; all are exhaustive."""
    others = [page for page in WITH_COMMANDS if page_name(page) != FIRST_READ]
    drawn = random.Random(commit_seed()).choice(others)
    return [
        pytest.param(page, marks=pytest.mark.exhaustive if page in others and page != drawn else ())
        for page in WITH_COMMANDS
    ]


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_link_leads_to_a_page_and_a_heading(page: Path) -> None:
    dead = []
    for target in links(page.read_text()):
        file, _, anchor = target.partition("#")
        path = page.parent / file if file else page
        if not path.exists() or (anchor and anchor not in anchors(path.read_text())):
            dead.append(target)
    assert dead == []


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_every_command_is_in_a_block_that_is_checked(page: Path) -> None:
    unchecked = [
        line
        for block in blocks(page.read_text())
        if block.language not in ("console", "sh")
        for line in block.text.splitlines()
        if program_words(line.removeprefix("$ "))
    ]
    assert unchecked == []


@pytest.mark.parametrize("page", PAGES, ids=page_name)
def test_commands_that_are_not_run_have_real_flags(page: Path) -> None:
    text = page.read_text()
    found = [(words, wrong_with(words, complete=True)) for words in listed_commands(text)]
    found += [(words, wrong_with(words, complete=False)) for words in inline_commands(text)]
    assert [one for one in found if one[1]] == []


@pytest.mark.parametrize("page", pages_to_run(), ids=page_name)
def test_commands_run_and_say_what_the_page_shows(page: Path, tmp_path: Path) -> None:
    text = page.read_text()
    folder = laid_out(tmp_path / "reader", blocks(text))
    for command in console_commands(text):
        done = run(command, folder)
        assert done.returncode == expected_code(command), f"{command.text}\n{done.stderr}"
        if shown := statuses(command.output):
            assert statuses(done.stdout.splitlines()) == shown, f"{command.text}\n{done.stdout}"
        else:
            assert missing_lines(command, done.stdout) == [], f"{command.text}\n{done.stdout}"


def missing_lines(command: ShownCommand, output: str) -> list[str]:
    """Lines of the page that the output lacks; numbers may differ, and `...` is any text."""
    real = without_numbers(output).splitlines()
    return [
        line
        for line in command.output
        if line.strip() and not any(like(line).fullmatch(one) for one in real)
    ]


def like(line: str) -> re.Pattern[str]:
    parts = (re.escape(part) for part in without_numbers(line).split("..."))
    return re.compile(".*".join(parts))


def without_numbers(text: str) -> str:
    plain = re.sub(r"\b[0-9a-f]{16}\b", "HASH", text)
    plain = re.sub(r"\d+(?:\.\d+)?(?:e[+-]\d+)?", "N", plain)
    return "\n".join(" ".join(line.split()) for line in plain.splitlines())


def test_what_is_shown_is_held_to_what_is_printed() -> None:
    page = "```console\n$ assay tasks softmax\nsoftmax ... last\nrows 512\n```\n"
    (command,) = console_commands(page)
    assert command.words == ("assay", "tasks", "softmax")
    assert missing_lines(command, "softmax over the last\nrows  7\n") == []
    assert missing_lines(command, "softmax over the first\nrows  7\n") == ["softmax ... last"]


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("assay eval softmax kernel.py --level quick", None),
        ("assay eval softmax kernel.py --level hasty", "hasty"),
        ("assay eval softmax kernel.py --no-such-flag", "no-such-flag"),
        ("assay eval", "TASK"),
        ("assay weigh softmax", "weigh"),
        ("make test", None),
        ("make coffee", "coffee"),
        ("python benchmarks/fuzz.py --count 40", None),
        ("python benchmarks/fuzz.py --counts 40", "--counts"),
        ("python benchmarks/no_such.py", "no_such"),
        ("python -m assay.no_such", "no_such"),
    ],
)
def test_a_wrong_command_is_noticed(command: str, complaint: str | None) -> None:
    (words,) = listed_commands(f"```sh\n{command}\n```\n")
    found = wrong_with(words, complete=True)
    assert found is None if complaint is None else complaint in str(found)


def test_headings_and_links_are_read_as_a_browser_does() -> None:
    text = "# What is it?\n[a](b.md#c-d) [e](https://x.y)\n```sh\n# no heading\n```\n"
    assert anchors(text) == {"what-is-it"}
    assert links(text) == ["b.md#c-d"]
    assert blocks(text) == [Block("sh", "", "# no heading\n")]


def test_every_flag_of_every_command_is_on_a_page() -> None:
    pages = "\n".join(page.read_text() for page in PAGES)
    cli = next(page for page in PAGES if page_name(page).endswith("cli.md")).read_text()
    judging = cli.partition("## `assay eval`")[2].partition("\n## ")[0]
    for name, command in typer.main.get_command(app).commands.items():
        flags = {flag for one in command.params for flag in one.opts if flag.startswith("--")}
        page = judging if name == "eval" else pages
        assert {flag for flag in flags if flag not in page} == set(), name


def test_the_counts_of_workloads_are_those_of_the_levels() -> None:
    texts = {page_name(page): page.read_text() for page in PAGES}
    settings = next(text for name, text in texts.items() if name.endswith("settings.md"))
    for level in (Level.QUICK, Level.STANDARD, Level.FULL):
        count = SWEEPS[level].workloads
        assert f"| `{level.value}` | up to {count - 1} |" in settings
        for name in ("tour.md", "right.md"):
            page = next(text for one, text in texts.items() if one.endswith(name))
            assert re.search(rf"`{level.value}`[^`,]* up to {count}\b", page), (name, level)
