"""What a page shows: its fenced blocks, commands, links and headings.

The convention, for every page:

* ```` ```console ````: a test runs each `$ command`; the lines below it are its output;
* ```` ```sh ````: commands that need a GPU, minutes or the network; a test parses their flags;
* ```` ```python kernel.py ````: a file that the page's commands find in their folder.
"""

from __future__ import annotations

import re
import shlex
from dataclasses import dataclass
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGES = sorted([*(ROOT / "docs").rglob("*.md"), *ROOT.glob("*.md")])
PROGRAMS = ("assay", "make", "python")

_FENCE = re.compile(r"^```(?P<info>[^\n`]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_LINK = re.compile(r"\]\((?P<target>[^)\s]+)\)")
_HEADING = re.compile(r"^#+ +(?P<title>.+?) *$", re.MULTILINE)
_INLINE = re.compile(r"`(?P<code>[^`]+)`")
_SETTING = re.compile(r"^[A-Z_]+=")  # of a variable, before a command


@dataclass(frozen=True)
class Block:
    """One fenced block: the language and file name of its first line, and its text."""

    language: str
    file: str
    text: str


@dataclass(frozen=True)
class ShownCommand:
    """One command of a console block, with the output that the page shows for it."""

    words: tuple[str, ...]
    output: tuple[str, ...]

    @property
    def text(self) -> str:
        return shlex.join(self.words)


def page_name(page: Path) -> str:
    """Its path from the root, for messages and test ids."""
    return str(page.relative_to(ROOT))


def blocks(text: str) -> list[Block]:
    """Every fenced block of a page, in order."""
    found = []
    for fence in _FENCE.finditer(text):
        language, _, file = fence["info"].strip().partition(" ")
        found.append(Block(language, file.strip(), fence["text"]))
    return found


def console_commands(text: str) -> list[ShownCommand]:
    """The commands of the console blocks of a page."""
    return [
        ShownCommand(tuple(command_words(first)), tuple(rest.splitlines()))
        for block in blocks(text)
        if block.language == "console"
        for first, _, rest in (part.partition("\n") for part in joined(block.text).split("$ ")[1:])
    ]


def listed_commands(text: str) -> list[tuple[str, ...]]:
    """The commands of the sh blocks of a page that start one of our programs."""
    return [
        words
        for block in blocks(text)
        if block.language == "sh"
        for line in joined(block.text).splitlines()
        if (words := program_words(line))
    ]


def inline_commands(text: str) -> list[tuple[str, ...]]:
    """Commands in running text: a program of ours and at least one more word."""
    prose = _FENCE.sub("", text)
    found = (" ".join(code["code"].split()) for code in _INLINE.finditer(prose))
    return [words for line in found if len(words := program_words(line)) > 1]


def program_words(line: str) -> tuple[str, ...]:
    """The words of a line that starts one of our programs, without variables set before it."""
    try:
        words = command_words(line)
    except ValueError:  # an apostrophe in prose
        return ()
    while words and _SETTING.match(words[0]):
        words = words[1:]
    return tuple(words) if words and words[0] in PROGRAMS else ()


def command_words(line: str) -> list[str]:
    """The words of a command; a comment begins with a `#` that begins a word."""
    return shlex.split(re.sub(r"(?:^|\s)#.*$", "", line))


def joined(text: str) -> str:
    """The text with lines that end in a backslash put together."""
    return text.replace("\\\n", " ")


def links(text: str) -> list[str]:
    """Targets of links within the tree."""
    targets = [link["target"] for link in _LINK.finditer(_FENCE.sub("", text))]
    return [target for target in targets if "://" not in target]


def anchors(text: str) -> set[str]:
    """What its headings are called in a link, by GitHub's rule."""
    titles = (heading["title"] for heading in _HEADING.finditer(_FENCE.sub("", text)))
    return {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
