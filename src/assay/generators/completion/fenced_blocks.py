"""FencedBlocks: the fenced blocks of a model's answer, and the words around them.

The rule: a fence that was never closed is kept and marked; what a model thought aloud before its
answer is no part of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

_THOUGHT = re.compile(r"<(think|thinking|reasoning|thought)>.*?</\1>", re.DOTALL | re.IGNORECASE)
_THOUGHT_END = re.compile(r"^.*</(?:think|thinking|reasoning|thought)>", re.DOTALL | re.IGNORECASE)
_THOUGHT_START = re.compile(
    r"<(?:think|thinking|reasoning|thought)>.*\Z", re.DOTALL | re.IGNORECASE
)
_FENCE = re.compile(r"^ {0,3}(?P<mark>`{3,}|~{3,}) *(?P<info>[^`\n]*)$")
_NAME = re.compile(r"[\w.+-]+(?:/[\w.+-]+)*\.(?:py|cpp|cu|cuh|h|hpp|cc)\b")
_NAMING_LINE = re.compile(
    r"^\s*(?:[#*>\-\d.]*\s*)(?:(?:file|filename|path)\s*:?\s*)?[`*\"']*(?P<name>[\w./+-]+\.\w+)"
    r"[`*\"']*\s*:?\s*[*]*\s*$",
    re.IGNORECASE,
)
_NAMING_COMMENT = re.compile(
    r"^\s*(?:#|//|/\*)\s*(?:(?:file|filename|path)\s*:\s*)?(?P<name>[\w./+-]+\.\w+)\s*(?:\*/)?\s*$",
    re.IGNORECASE,
)

_LONGEST_LINE = 200  # that may name a file


@dataclass(frozen=True)
class FencedBlock:
    """One fenced block: its language, the file that it is said to be, its text."""

    language: str
    name: str  # empty: not said
    text: str
    closed: bool = True


@dataclass(frozen=True)
class ReadAnswer:
    """The blocks of an answer, in order, and its words."""

    blocks: tuple[FencedBlock, ...]
    words: str
    text: str  # without thoughts
    only_thoughts: bool = False  # it ended before the model had thought to the end


def read_answer(text: str) -> ReadAnswer:
    """Take an answer apart."""
    plain = _THOUGHT.sub("", text.replace("\r\n", "\n"))
    plain = _THOUGHT_END.sub("", plain)  # some servers leave out the tag that opens
    spoken = _THOUGHT_START.sub("", plain)
    blocks: list[FencedBlock] = []
    words: list[str] = []
    lines = iter(spoken.split("\n"))
    for line in lines:
        fence = _FENCE.match(line)
        if fence is None:
            words.append(line)
            continue
        inside, closed = _inside(lines, fence["mark"])
        said = next((one for one in reversed(words) if one.strip()), "")
        blocks.append(_block(fence["info"].strip(), inside, closed, said))
    return ReadAnswer(
        blocks=tuple(blocks),
        words="\n".join(words).strip(),
        text=spoken,
        only_thoughts=spoken != plain and not spoken.strip(),
    )


def _inside(lines: Iterator[str], mark: str) -> tuple[list[str], bool]:
    """Lines up to the fence that closes: the same mark, as long at least, and nothing after it."""
    found: list[str] = []
    for line in lines:
        fence = _FENCE.match(line)
        if fence and not fence["info"].strip() and fence["mark"].startswith(mark):
            return found, True
        found.append(line)
    return found, False


def _block(info: str, inside: list[str], closed: bool, said: str) -> FencedBlock:
    language = info.partition(" ")[0]
    name = _NAME.search(info[:_LONGEST_LINE])
    found = name[0] if name else ""
    language = "" if _NAME.fullmatch(language) else language.partition(":")[0]
    first = inside[0] if inside else ""
    if not found and (comment := _NAMING_COMMENT.match(first[:_LONGEST_LINE])):
        found = comment["name"]
    if not found and (before := _NAMING_LINE.match(said[:_LONGEST_LINE])):
        found = before["name"]
    return FencedBlock(language.lower(), found, "\n".join(inside).strip("\n") + "\n", closed)
